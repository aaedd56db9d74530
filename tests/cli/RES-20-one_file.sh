#!/bin/sh
# report.html is whole in itself: moved elsewhere alone it needs no network and no other file.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick_plot s.yaml 2
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r
mkdir moved
cp r/report.html moved/
cat >look.py <<'END'
import html.parser, sys

class Look(html.parser.HTMLParser):
    bad, ids, links, texts = [], [], [], []
    open_tags, inside = [], None
    empty = {"meta", "link", "br", "input", "path", "use", "rect", "circle", "line"}

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        for name, value in attributes:
            if name in ("src", "srcset", "action", "poster", "data", "background"):
                self.bad.append((tag, name, value))
            if name in ("href", "xlink:href"):
                if value.startswith("#"):
                    self.links.append(value[1:])
                elif value != "data:,":
                    self.bad.append((tag, name, value))
            if name == "id":
                self.ids.append(value)
            if name.startswith("on"):
                self.bad.append((tag, name, value))
        if tag not in self.empty:
            self.open_tags.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.empty:
            self.open_tags.pop()

    def handle_endtag(self, tag):
        if tag in self.empty:
            return
        if not self.open_tags or self.open_tags.pop() != tag:
            self.bad.append(("closing", tag, self.getpos()))

    def handle_data(self, data):
        if self.inside in ("style", "script"):
            for word in ("http:", "https:", "@import", "url(", "//", "fetch", "XMLHttp"):
                if word in data:
                    self.bad.append((self.inside, word, ""))

page = open(sys.argv[1], encoding="utf-8").read()
look = Look()
look.feed(page)
look.bad += [("left open", tag, "") for tag in look.open_tags]
look.bad += [("twice", i, "") for i in set(look.ids) if look.ids.count(i) > 1]
look.bad += [("no target", i, "") for i in look.links if i not in look.ids]
if "default-src 'none'" not in page:
    look.bad.append(("no content security policy", "", ""))
for what in look.bad:
    print(*what)
sys.exit(1 if look.bad else 0)
END
python3 look.py moved/report.html >out 2>err || fail "not whole in itself"
if command -v gnuplot >/dev/null; then
    has moved/report.html '<svg role="img"'
fi
