"""The control words of RTF that begin a destination, or stand for a character."""

from __future__ import annotations

_SKIPPED = """
    aftncn aftnsep aftnsepc atnauthor atndate atnicn atnid atnparent atnref atntime atrfend atrfstart author bkmkend
    bkmkstart bliptag blipuid buptim category colorschememapping colortbl comment company creatim datafield
    datastore doccomm falt ffdeftext ffentrymcr ffexitmcr ffformat ffhelptext ffname ffstattext filetbl fontemb
    fontfile ftncn ftnsep ftnsepc generator hlinkbase htmltag keywords latentstyles listoverridetable listpicture
    listtable manager mhtmltag mmathPr nesttableprops nonesttables nonshppict objclass objdata objname oldcprops
    oldpprops oldsprops oldtprops operator panose passwordhash pgdsctbl pict pn pnseclvl printim private protusertbl
    revtbl revtim rsidtbl rxe shprslt sp subject tc tcl template themedata txe userprops wgrffmtfilter xe xmlnstbl
"""
SKIPPED = frozenset(_SKIPPED.encode().split())
"""Destinations that hold no text of the document."""
PICTURES = frozenset((b"pict", b"shppict", b"nonshppict", b"objdata"))
TEXTS = frozenset(b"shpinst ud shptxt footnote fldinst fldrslt result do dptxbxtext annotation formfield ffl".split())
"""Destinations marked as optional that hold text all the same."""
MARGINS = frozenset(b"header headerl headerr headerf footer footerl footerr footerf".split())
SIDES = MARGINS | {b"footnote", b"annotation", b"shptxt", b"dptxbxtext"}
KEPT = frozenset((b"fonttbl", b"stylesheet", b"title", b"info", b"formfield", b"ffl"))
SIGNS = {
    b"tab": "\t", b"line": "\n", b"lbr": "\n", b"emdash": "—", b"endash": "–", b"emspace": " ", b"enspace": " ",
    b"qmspace": " ", b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”",
    b"zwj": "\u200d", b"zwnj": "\u200c",
}  # fmt: skip
SHORT_SIGNS = {b"~": " ", b"-": "", b"_": "-", b"\t": "\t"}
ENDS = frozenset((b"par", b"sect", b"page", b"column", b"softpage"))
SHORT_ENDS = (b"\n", b"\r")
