"""The digests of a published site as a mapping that holds none of them."""

from collections.abc import Iterator, Mapping

from .listing import Listing


class Digests(Mapping[str, str]):
    """SHA-256 (hex) by path, read from a listing when it is asked for."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing

    def __getitem__(self, path: str) -> str:
        digest = self._listing.digest_of(path)
        if digest is None:
            raise KeyError(path)
        return digest

    def get(self, path: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """The same, `default` where the path is not listed."""
        digest = self._listing.digest_of(path)
        return default if digest is None else digest

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._listing.row(path) >= 0

    def __iter__(self) -> Iterator[str]:
        return (path.decode("ascii") for path in self._listing.paths())

    def __len__(self) -> int:
        return len(self._listing)

    def below(self, folder: str) -> Iterator[tuple[str, str]]:
        """(path, digest) of all that is in a folder."""
        rows = self._listing.below(folder.encode("ascii"))
        lines = self._listing.lines(rows.start, rows.stop) if rows else ()
        return ((line[66:].decode("ascii"), line[:64].decode("ascii")) for line in lines)
