/* Comforts only: every page is complete without this file.  Copy buttons, the reader's date in citations, sorting and
   filtering of long tables, and folder links that work when the site is opened from a disk. */
(function () {
  "use strict";
  var all = function (selector, within) { return Array.prototype.slice.call((within || document).querySelectorAll(selector)); };
  var make = function (name, text) { var node = document.createElement(name); node.textContent = text || ""; return node; };

  function fillDates() {
    var now = new Date(), two = function (n) { return (n < 10 ? "0" : "") + n; };
    var date = now.getFullYear() + "-" + two(now.getMonth() + 1) + "-" + two(now.getDate());
    all("[data-accessed]").forEach(function (node) { node.textContent = date; });
  }

  function addCopyButtons() {
    if (!navigator.clipboard) return;
    all("[data-copy]").forEach(function (box) {
      var button = make("button", "Copy"), place = box.querySelector("p");
      button.type = "button";
      if (!place) { place = make("p"); place.className = "copy"; box.appendChild(place); }
      button.addEventListener("click", function () {
        var source = box.querySelector("pre").cloneNode(true);
        all("samp", source).forEach(function (node) { node.remove(); });
        navigator.clipboard.writeText(source.textContent).then(function () {
          button.textContent = "Copied";
          setTimeout(function () { button.textContent = "Copy"; }, 2000);
        }, function () { button.textContent = "Not allowed"; });
      });
      place.appendChild(button);
    });
  }

  function sortKey(cell) {
    var text = cell.hasAttribute("data-value") ? cell.getAttribute("data-value") : cell.textContent.trim();
    var plain = text.replace(/\u202f/g, "");
    if (plain === "" || plain === "–") return null;
    return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : text.toLowerCase();
  }

  function compare(a, b) {
    if (a === null || b === null) return a === b ? 0 : a === null ? 2 : -2;
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  }

  function sortBy(table, column, direction) {
    var body = table.tBodies[0];
    var rows = Array.prototype.map.call(body.rows, function (row) { return [sortKey(row.cells[column]), row]; });
    rows.sort(function (a, b) {
      var order = compare(a[0], b[0]);
      return Math.abs(order) === 2 ? order : order * direction; // rows without a value stay last
    });
    rows.forEach(function (pair) { body.appendChild(pair[1]); });
  }

  function makeSortable(table) {
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      if (head.classList.contains("gx")) return;
      var button = make("button", head.textContent);
      button.type = "button";
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () {
        var up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        sortBy(table, column, up ? 1 : -1);
      });
    });
    if (table.classList.contains("ranking")) heads[0].setAttribute("aria-sort", "ascending");
  }

  function addFilter(table, number) {
    var rows = Array.prototype.slice.call(table.tBodies[0].rows), box = make("div"), label = make("label", "Filter");
    var input = make("input"), status = make("span");
    box.className = "filter";
    input.type = "search";
    input.id = "filter-" + number;
    label.htmlFor = input.id;
    status.setAttribute("role", "status");
    input.addEventListener("input", function () {
      var wanted = input.value.trim().toLowerCase(), shown = 0;
      rows.forEach(function (row) {
        row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0;
        if (!row.hidden) shown += 1;
      });
      status.textContent = wanted ? shown + " of " + rows.length : "";
    });
    [label, input, status].forEach(function (node) { box.appendChild(node); });
    var scroller = table.closest(".t");
    scroller.parentNode.insertBefore(box, scroller);
  }

  function completeLinks() {
    if (location.protocol !== "file:") return;
    all("a[href], form[action]").forEach(function (node) {
      var name = node.tagName === "A" ? "href" : "action";
      var parts = /^([^?#]*)(.*)$/.exec(node.getAttribute(name));
      if (/^[a-z][a-z0-9+.-]*:/i.test(parts[1]) || !/(^|\/)\.{0,2}$|\/$/.test(parts[1]) || parts[1] === "") return;
      node.setAttribute(name, parts[1].replace(/\/?$/, "/index.html") + parts[2]);
    });
  }

  fillDates();
  addCopyButtons();
  all("table[data-sort]").forEach(function (table, number) { makeSortable(table); addFilter(table, number); });
  completeLinks();
})();
