"""The names that are read in office files, by the prefixes that their writers usually give them.

Expat hands these names out without their prefix, at no cost. Any other prefix is dropped afterwards, element by
element. So a name that a reader looks for must stand here if its prefix does; all others keep the prefix, unread.
"""

from __future__ import annotations

POINTER = "r"
"""The prefix of attributes that point to other parts: `r:id` is not `id`."""
_WORD = """
    abstractNum abstractNumId altChunk annotation annotationRef b basedOn body br category cellDel char checkBox
    checked comment commentReference comments content cr customXml customXmlPr ddList default del delInstrText
    delText document drawing endnote endnoteReference endnotes ffData fill fldChar fldCharType fldData fldSimple
    font footer footnote footnoteReference footnotes ftr gridBefore gridSpan hdr header hyperlink id ilvl ins
    instrText isLgl linkType listEntry listPr lvl lvlOverride lvlText moveFrom moveTo name noBreakHyphen num
    numbering numFmt numId numPr numStyleLink outlineLvl p pBdrGroup pict pPr pStyle ptab r result rPr rt ruby
    rubyBase sdt sdtContent sdtEndPr sdtPr sect sectPr shd smartTag smartTagPr start startOverride style styleId
    styleLink styles sub-section sym t tab tbl tblHeader tblPr tc tcPr textbox tr trPr txbxContent type val vanish
    vMerge wordDocument
"""
_DRAWING = """
    br buAutoNum buChar chExt chOff endParaRPr ext fld gd graphic graphicData gridSpan hMerge lvl off p pic pPr r
    rowSpan rPr startAt t tbl tblPr tc tcPr tr txBody type vMerge xfrm
"""
_SLIDES = """
    cm cmAuthor cNvPr comment cSld cxnSp graphicFrame grpSp grpSpPr idx nvPr nvSpPr ph pic presentation sld sldId
    sldIdLst sp spPr spTree text txBody type xfrm
"""
_CHART = "cat formatCode chart chartData chartSpace data idx numDim pt ser strDim title tx v val xVal yVal"
_TEXT = """
    a alphabetical-index-auto-mark-file bookmark-end bookmark-start c changed-region continue-list
    continue-numbering database-display deletion display display-levels h hidden-text id index-title is-list-header
    level line-break list list-header list-id list-item list-level-style-bullet list-level-style-image
    list-level-style-number list-style note note-body note-citation note-class num-format num-prefix num-suffix
    outline-level outline-level-style outline-style p placeholder ruby ruby-base ruby-text s script section
    sequence-decls span start-value style-name tab table-of-content table-of-content-source title tracked-changes
    user-field-decls variable-decls
"""
_TABLE = """
    body covered-table-cell database-ranges display name named-expressions number-columns-repeated
    number-columns-spanned number-rows-repeated number-rows-spanned shapes style-name table table-cell table-column
    table-header-rows table-row table-row-group table-rows tracked-changes visibility
"""
_OFFICE = """
    annotation annotation-end automatic-styles binary-data body boolean-value currency date-value document
    document-content document-meta document-styles drawing event-listeners forms master-styles meta mimetype
    presentation settings spreadsheet string-value styles text time-value value value-type
"""
_BY_PREFIX = {
    **dict.fromkeys(("w", "w14", "w15", "wx", "aml"), _WORD),
    **dict.fromkeys(("a", "a14", "wp", "wps", "wpg", "wpc", "pic", "lc", "p188"), f"{_DRAWING} {_WORD} cm"),
    **dict.fromkeys(("p", "p14", "xdr"), _SLIDES),
    **dict.fromkeys(("c", "cx"), _CHART),
    **dict.fromkeys(("v", "o"), "DocumentProperties Title fill id imagedata shape string textbox textpath type"),
    "dgm": "pt relIds t type dataModel ptLst",
    "mc": "AlternateContent Choice Fallback",
    "ve": "AlternateContent Choice Fallback",
    "m": "oMath oMathPara r t",
    "pkg": "contentType name package part xmlData binaryData",
    "text": _TEXT,
    "loext": f"{_TEXT} {_TABLE}",
    "table": _TABLE,
    "office": _OFFICE,
    "style": (
        "display display-name footer header master-page name num-format num-prefix num-suffix parent-style-name style"
    ),
    "draw": "frame g image layer name object object-ole page style-name text-box title",
    "presentation": "class footer-decl header-decl notes placeholder style-name",
    "svg": "desc title",
    "xlink": "href type",
    "meta": "user-defined name",
    "dc": "creator date title description subject",
    "form": "checkbox text",
    "manifest": "encryption-data file-entry full-path media-type",
    **dict.fromkeys(
        ("cp", "dcterms", "dcmitype", "xsi", "xml", "xmlns", "vt", "fo", "number", "chart", "script", "config", "math"),
        "",
    ),
    **dict.fromkeys(
        ("wp14", "w10", "w16", "w16cid", "w16cex", "w16se", "w16sdtdh", "w16du", "wne", "sl", "cppr", "thm15"), ""
    ),
    **dict.fromkeys(("a16", "p15", "p16", "c14", "c15", "c16", "c16r2", "c16r3", "cs", "dsp", "ac", "x14ac", "xr"), ""),
    POINTER: "",
}
NAMES = {
    f"{prefix}:{name}": name for prefix, names in _BY_PREFIX.items() if prefix != POINTER for name in names.split()
}


def is_unusual(name: str) -> bool:
    """Whether a name has a prefix that is not listed here."""
    prefix, colon, _local = name.rpartition(":")
    return bool(colon) and prefix not in _BY_PREFIX
