/* Colours that the colour-blind can tell apart, and that differ in lightness: text has a contrast of 4.5
 * to 1. */
#include "picture/text.h"

void picture_put_style(struct picture_text *text) {
    picture__put(
        text,
        ".wlp{--text:#1a1c1f;--soft:#5a6068;--used:#1f5a96;--on:#ffffff;--waste:#f8dcc0;--edge:#b35806;"
        "--idle:#e9ecef;--line:#79838d;display:block;width:100%;max-width:720px;height:auto;"
        "font:10.5px Arial,'Liberation Sans',Helvetica,sans-serif}\n"
        "@media (prefers-color-scheme:dark){.wlp{--text:#e6e8ea;--soft:#a2a9b1;--used:#7db4e6;--on:#0d141c;"
        "--waste:#4a2f14;--edge:#d98b3f;--idle:#2b3037;--line:#7d868f}}\n"
        ".wlp text{fill:var(--text)}.wlp text.n,.wlp text.c,.wlp text.o{text-anchor:middle}"
        ".wlp text.o{fill:var(--soft)}.wlp text.c{fill:var(--on)}\n"
        ".wlp path.n{fill:var(--idle)}"
        ".wlp path.i{fill:none;stroke:var(--idle);stroke-width:.7}.wlp path.i.k{fill:var(--idle)}\n"
        ".wlp .l{fill:none;stroke:var(--line);stroke-width:.7}.wlp .f{stroke-opacity:.5}\n"
        ".wlp .s{fill:var(--waste);stroke:var(--edge);stroke-width:.5}\n"
        ".wlp .u{fill:var(--used);stroke:var(--used);stroke-width:.3}"
        ".wlp .u.a{fill:var(--used);fill-opacity:.45}\n"
        ".wlp .b{fill:none;stroke:var(--edge);stroke-width:.9}\n"
        ".wlp .w{fill:none;stroke:var(--idle);stroke-width:11;stroke-dasharray:10 1}"
        ".wlp .m{fill:var(--edge)}\n");
}
