/* For 404.html alone: completes an address that is the beginning of a digest, or what a source or another catalogue calls
   a run, and goes there.  It asks one small script of the site's own; where nothing or several fit, it says so. */
(function () {
  "use strict";
  var box = document.querySelector("[data-lookup]");
  if (!box) return;
  var root = box.getAttribute("data-root"), leaf = box.getAttribute("data-leaf");
  var digits = Number(box.getAttribute("data-digits")), status = box.querySelector("[role=status]");
  var FOLDERS = { r: "runs/", g: "groups/", i: "implementations/" };
  var NAMES = { r: "Run", g: "Group", i: "Implementation", o: "Object" };

  /* What the address asks for, below the root of the site: {folder, name}, both may be empty. */
  function requested() {
    var path = location.pathname;
    try { path = decodeURIComponent(path); } catch (fault) { /* not UTF-8: taken as it is */ }
    if (path.indexOf(root) !== 0) return { folder: "", name: "" };
    path = path.slice(root.length).replace(/(^|\/)index\.(html|json)$/, "$1").replace(/\/+$/, "");
    var parts = /^(?:(runs|groups|implementations|sha256)\/)?(?:(?:[0-9a-f]{2}\/)(?=[0-9a-f]{12}))?([\s\S]*)$/i.exec(path);
    var name = parts[2].replace(/^sha256:/i, "").replace(/\.json$/, "");
    return { folder: (parts[1] || "").toLowerCase(), name: name };
  }

  /* CRC-32 of the UTF-8 bytes, as eight hex digits. */
  function checksum(text) {
    var bytes = new TextEncoder().encode(text), sum = -1;
    for (var place = 0; place < bytes.length; place += 1) {
      sum ^= bytes[place];
      for (var bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
    }
    return ("0000000" + ((sum ^ -1) >>> 0).toString(16)).slice(-8);
  }

  function address(found, folder) {
    var kind = folder === "sha256" && found[0] !== "g" ? "o" : found[0], hex = found.slice(1);
    return root + (kind === "o" ? "sha256/" + hex.slice(0, 2) + "/" + hex + ".json" : FOLDERS[kind] + hex + "/" + leaf);
  }

  function list(found, folder) {
    var lines = document.createElement("ul");
    found.forEach(function (one) {
      var line = document.createElement("li"), link = document.createElement("a");
      link.href = address(one, folder);
      link.textContent = NAMES[one[0]] + " " + one.slice(1);
      line.appendChild(link);
      lines.appendChild(line);
    });
    lines.className = "docs";
    status.parentNode.appendChild(lines);
  }

  function answer(found, asked) {
    if (found.length === 1) {
      var target = address(found[0], asked.folder);
      /* A complete address that is not there would lead here again, for ever. */
      if (target !== location.pathname) return location.replace(target + location.hash);
    }
    status.textContent = found.length > 1
      ? "Several records have an address that begins so, or were called so. Choose one:"
      : "No record has an address that begins so, and none is called so.";
    if (found.length > 1) list(found, asked.folder);
  }

  function ask(shard, choose, asked) {
    var script = document.createElement("script");
    window.shortForms = function (table) { answer(choose(table), asked); };
    script.onerror = function () { status.textContent = "The list of records could not be loaded."; };
    script.src = box.getAttribute("data-lookup") + shard.slice(0, digits) + ".js";
    document.head.appendChild(script);
  }

  var asked = requested(), name = asked.name;
  if (/^[0-9a-f]{12,64}$/i.test(name)) {
    name = name.toLowerCase();
    ask(name, function (table) {
      return table.d.filter(function (one) { return one.slice(1, name.length + 1) === name; });
    }, asked);
  } else if (/^[0-9a-f]{4,11}$/i.test(name)) {
    status.textContent = "This may be a shortened digest: give its first twelve digits or more.";
  } else if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name) || name.indexOf("/") > 0) {
    if (name.indexOf("/") < 0) name = name.toLowerCase();
    ask(checksum(name), function (table) {
      return Object.prototype.hasOwnProperty.call(table.k, name) ? table.k[name] : [];
    }, asked);
  }
})();
