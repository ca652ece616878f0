"""The syntaxes of the languages that source code comes in, each with what its definitions look like."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from knowledge_base.adapters.chunking.code.syntax import Syntax, make_syntax

_SPACE = r"[ \t]+"
_BLOCK = {"/*": "*/"}
_HEREDOC = r"<<<?[-~]?[ \t]*[\"']?(?P<word>[A-Za-z_]\w*)[\"']?"
_MODIFIERS = (
    r"(?:template[ \t]*<[^{;\n]*>[ \t]*)?"
    r"(?:(?:export|default|public|(?:private|protected)(?:\[[^\]\n]*\])?|internal|static|final|abstract|async|sealed"
    r"|open|data|inline|override|suspend|partial|readonly|virtual|declare|unsafe|extern(?:[ \t]+\"[^\"\n]*\")?"
    r"|pub(?:\([^)\n]*\))?|const|constexpr|typedef|case|implicit|lazy|expect|actual|inner|annotation|value|fileprivate"
    r"|indirect|mutating|convenience|required|companion|non-sealed|native|local|file|ref|@[\w.]+(?:\([^)\n]*\))?"
    r")[ \t]+)*+"
)
_KINDS = (
    r"class|interface|@interface|struct|enum(?:[ \t]+(?:class|struct))?|union|trait|protocol|extension|namespace"
    r"|module|object|record|actor|function\*?|func|fun|fn|def|mod|macro|service|message|contract|mixin"
    r"|package[ \t]+object"
)
_DEFINED = rf"{_MODIFIERS}(?P<kind>{_KINDS})(?:[ \t]*<[^<>\n]*>)?[ \t]+(?P<name>[\w$.:`]+)"
_NOT_CALLED = (
    r"(?!(?:if|else|for|foreach|while|switch|catch|return|do|try|using|lock|synchronized|with|when|match|new|throw|await"
    r"|yield|unless|until|guard|defer|go|select|case|loop|unsafe)\b)"
)
_CALLED = (
    rf"{_NOT_CALLED}(?:[\w:<>,*&~\[\]?.@ \t]*?[ \t*&>\]]\n?)??(?P<called>(?:\w+(?:<[^<>()]*>)?::)*+~?[\w$#~]+"
    r"|operator[^\s(]+)(?:<[^<>()]*>)?"
    r"[ \t]*\((?:[^;{}()]|\((?:[^;{}()]|\([^;{}()]*\))*\))*\)[^;{}=]*\{"
)
_ASSIGNED = (
    r"(?:export[ \t]+)?(?:(?P<binding>const|let|var)[ \t]+)?(?P<assigned>[\w$.]+)[^=:,;(\n]*[=:][ \t]*"
    r"(?:async[ \t]*)?(?:function\b|class\b|\([^()\n]*\)[^=\n{]*=>|[\w$]+[ \t]*=>)"
)
_ANNOTATION = (
    r"@[\w.:]+(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*(?:\)|$))?[ \t]*$"
    r"|#!?\[|\[\w[^\]\n]*\][ \t]*$|template[ \t]*<[^\n]*>[ \t]*$"
)
_LABELS = r"(?:public|private|protected|signals)(?:[ \t]+slots)?[ \t]*:[ \t]*$|case\b|default[ \t]*(?::|->|=>)"
_GOES_ON = rf"else\b|catch\b|finally\b|where\b|[,:][^:]|&&|\|\||\|>|->|=>|\.\w|{_LABELS}"
_DIRECTIVE = r"#[ \t]*(?:if|ifdef|ifndef|region|pragma|undef|warning|error|line)\b"
_DIRECTIVE_END = r"#[ \t]*(?:endif|else|elif|endregion)\b"
_STOPS = ";{}:,)>\\"


def _curly(title: str = "", **changes: Any) -> Syntax:
    """Return a syntax of the family of C."""
    title = f"{title}|{_DEFINED}|{_CALLED}" if title else f"{_DEFINED}|{_CALLED}"
    rules = {"comment": r"//[^\n]*", "ends": _BLOCK, "quotes": '"c', "attribute": _ANNOTATION, "follow": _GOES_ON}
    return make_syntax(title, **(rules | changes))


def _c() -> Syntax:
    attribute, closing = f"{_ANNOTATION}|{_DIRECTIVE}", _DIRECTIVE_END
    return _curly(ends=_BLOCK | {'R"(': ')"'}, attribute=attribute, closing=closing, stops=_STOPS)


def _csharp() -> Syntax:
    ends = _BLOCK | {'@"': '"', '"""': '"""'}
    return _curly(ends=ends, attribute=f"{_ANNOTATION}|{_DIRECTIVE}", closing=_DIRECTIVE_END)


def _java() -> Syntax:
    return _curly(ends=_BLOCK | {'"""': '"""'})


def _javascript() -> Syntax:
    regex = (
        r"(?:(?<=[(=,:\[!&|?{};])|(?<=[(=,:\[!&|?{};] ))/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\]){1,400}+/"
    )
    return _curly(_ASSIGNED, ends=_BLOCK | {"`": "`"}, quotes="\"'", special=regex)


def _go() -> Syntax:
    title = r"(?P<func>func(?:[ \t]*\([^)\n]*\))?)[ \t]+(?P<f>\w+)|(?P<type>type)[ \t]+(?P<t>\w+)"
    return _curly(title, ends=_BLOCK | {"`": "`"})


def _rust() -> Syntax:
    title = (
        r"(?:unsafe[ \t]+)?(?P<impl>impl(?:<[^{\n]*?>)?[ \t]+[^{\n]+?)[ \t]*(?:\{|where\b|$)"
        r"|(?P<m>macro_rules!)[ \t]+(?P<n>\w+)"
    )
    return _curly(title, ends=_BLOCK | {'r#"': '"#', 'r##"': '"##'}, quotes="c", long_quotes='"')


def _kotlin() -> Syntax:
    title = rf"{_MODIFIERS}(?P<init>init|constructor|deinit|subscript|companion[ \t]+object)\b"
    return _curly(title, ends=_BLOCK | {'"""': '"""'}, quotes='"c`')


def _php() -> Syntax:
    return _curly(heredoc=_HEREDOC, comment=r"//[^\n]*|#(?!\[)[^\n]*", quotes="", long_quotes="\"'")


def _css() -> Syntax:
    title = r"(?P<whole>[^{};\s/][^{};]{0,160}?)\s*\{"
    return make_syntax(title, ends=_BLOCK, follow=r"[>+~,]", pieces=r"[;,]")


def _python() -> Syntax:
    title = r"(?:async[ \t]+)?(?P<kind>class|def)[ \t]+(?P<name>\w+)"
    follow = r"(?:else|elif|except|finally|case)\b"
    ends = {'"""': '"""', "'''": "'''"}
    return make_syntax(title, comment=r"#[^\n]*", ends=ends, attribute="@", follow=follow)


def _ruby() -> Syntax:
    title = r"(?:(?:private|public|protected|memoize)[ \t]+)?(?P<kind>class|module|def)[ \t]+(?P<name>[^\s(;]+)"
    follow = r"(?:else|elsif|rescue|ensure|when|in|then|and|or)\b|\.\w|&\.|&&|\|\|"
    ends = {"=begin": "=end"}
    closing = r"end\b(?![ \t]*[=.(\[]?=)"
    heredoc = r"<<(?:[-~][\"'`]?|[\"']?(?=[A-Z]))(?P<word>\w+)[\"'`]?"
    return make_syntax(title, comment=r"#(?!\{)[^\n]*", ends=ends, heredoc=heredoc, follow=follow, closing=closing)


def _shell() -> Syntax:
    title = r"(?P<kind>function)[ \t]+(?P<name>[\w:.-]+)|(?P<called>[\w:.-]+)[ \t]*\([ \t]*\)"
    return make_syntax(
        title,
        comment=r"(?<!\S)#[^\n]*",
        heredoc=_HEREDOC,
        quotes="",
        long_quotes="\"'",
        follow=r"(?:else|elif|then|do)\b|&&|\|",
        closing=r"(?:fi|done|esac)\b|;;",
    )


def _lua() -> Syntax:
    title = (
        r"(?:local[ \t]+)?(?P<kind>function)[ \t]+(?P<name>[\w.:]+)"
        r"|(?:local[ \t]+)?(?P<assigned>[\w.]+)[ \t]*=[ \t]*function\b"
    )
    ends = {"--[[": "]]", "[[": "]]", "--[=[": "]=]", "[=[": "]=]"}
    return make_syntax(
        title, comment=r"--(?!\[=?\[)[^\n]*", ends=ends, follow=r"(?:else|elseif|until)\b", closing=r"end\b"
    )


def _sql() -> Syntax:
    title = (
        r"(?P<whole>(?:create|alter|drop)[ \t]+(?:or[ \t]+replace[ \t]+)?(?:\w+[ \t]+){0,3}?"
        r"(?:table|view|function|procedure|trigger|index|type|schema|package|sequence|database|role|policy)[ \t]+"
        r"(?:if[ \t]+(?:not[ \t]+)?exists[ \t]+)?[^\s(;]+)|(?P<insert>insert[ \t]+into[ \t]+[^\s(;]+)"
    )
    ends = _BLOCK | {"$$": "$$", "$body$": "$body$", "$BODY$": "$BODY$", "$function$": "$function$"}
    return make_syntax(title, comment=r"--[^\n]*", ends=ends, stops=";", closing=r"go[ \t]*$", ignore_case=True)


def _markup() -> Syntax:
    title = rf"(?P<whole><[\w-]+(?=[^>\n]*?[ \t]id=\"[^\"\n]+\")[^>\n]*>)|{_DEFINED}|{_CALLED}"
    ends = {"<!--": "-->", "/*": "*/"}
    return make_syntax(title, ends=ends, closing=r"</|/>|>", pieces=r"[;,]|>(?=<)")


def _keyed() -> Syntax:
    title = (
        r"(?:-[ \t]+)?[\"']?(?P<name>[\w./$@-][^:\n#=\"']{0,80})[\"']?[ \t]*(?::(?=\s|$)|=[ \t]*[\[{])"
        r"|(?P<table>\[+[^\]\n]+\]+)[ \t]*$"
    )
    return make_syntax(title, comment=r"(?<!\S)#[^\n]*", quotes="\"'")


def _r() -> Syntax:
    title = r"(?P<name>[\w.]+)[ \t]*(?:<-|=)[ \t]*(?:function\b|R6Class\b|\\\()"
    return make_syntax(title, comment=r"#[^\n]*", quotes="", long_quotes="\"'", follow=r"else\b|%>%|\|>|\+")


def _perl() -> Syntax:
    title = r"(?P<kind>sub|package)[ \t]+(?P<name>[\w:]+)"
    ends = {"=pod": "=cut", "=head": "=cut"}
    return make_syntax(
        title, comment=r"(?<!\S)#[^\n]*", ends=ends, heredoc=_HEREDOC, follow=r"(?:else|elsif)\b|&&|\|\||\."
    )


def _powershell() -> Syntax:
    title = r"(?P<kind>function|class|filter|workflow|enum)[ \t]+(?P<name>[\w:-]+)"
    ends = {"<#": "#>", '@"': '"@', "@'": "'@"}
    return make_syntax(title, comment=r"#(?!>)[^\n]*", ends=ends, follow=_GOES_ON, ignore_case=True)


def _terraform() -> Syntax:
    title = r"(?P<whole>[a-z_]+(?:[ \t]+\"[^\"\n]*\"){0,2})[ \t]*\{"
    return make_syntax(title, comment=r"(?:#|//)[^\n]*", ends=_BLOCK, heredoc=_HEREDOC, quotes='"')


def _schema() -> Syntax:
    """Return what GraphQL and Protocol Buffers have in common."""
    title = (
        r"(?:extend[ \t]+)?(?P<kind>type|interface|enum|input|union|message|service|rpc|oneof|fragment|query|mutation)"
        r"[ \t]+(?P<name>\w+)"
    )
    return make_syntax(title, comment=r"(?://|#)[^\n]*", ends=_BLOCK | {'"""': '"""'}, quotes='"')


def _lisp() -> Syntax:
    title = r"\((?P<kind>ns|def[\w-]*)[ \t]+(?:\^\S+[ \t]+)?(?P<name>[^\s()\[\]{}]+)"
    return make_syntax(title, comment=r";[^\n]*", quotes="", long_quotes='"')


def _elixir() -> Syntax:
    title = r"(?P<kind>defmodule|defp?|defmacrop?|defprotocol|defimpl)[ \t]+(?P<name>[\w.?!]+)"
    follow = r"(?:else|rescue|catch|after)\b|\|>"
    attribute = r"@(?:doc|spec|moduledoc|impl|typedoc|deprecated)\b"
    ends = {'"""': '"""'}
    return make_syntax(
        title,
        comment=r"#(?!\{)[^\n]*",
        ends=ends,
        quotes='"',
        follow=follow,
        attribute=attribute,
        closing=r"end\b(?!:)",
    )


def _functional() -> Syntax:
    """Return what Haskell, OCaml and Erlang have in common: definitions begin in the first column."""
    title = (
        r"(?P<kind>module|data|newtype|type|class|instance|let(?:[ \t]+rec)?|val|and)[ \t]+(?P<name>[\w'.]+)"
        r"|(?P<typed>[a-z_][\w']*)[ \t]*::|(?P<called>[a-z]\w*)\([^\n]*->"
    )
    return make_syntax(
        title, comment=r"--[^\n]*|%[^\n]*", ends={"{-": "-}", "(*": "*)"}, quotes='"c', follow=r"\||where\b|[;,]"
    )


def _unknown() -> Syntax:
    """Return a syntax for code of any language: indentation and brackets tell most."""
    comment = r"(?<!\S)(?:#|//|--)[^\n]*"
    return make_syntax(
        rf"{_DEFINED}|{_CALLED}",
        comment=comment,
        ends=_BLOCK | {'"""': '"""', "'''": "'''"},
        attribute=r"@\w",
        follow=r"(?:else|elif|elsif|elseif|except|finally|catch|rescue|ensure|case|default)\b",
        closing=r"(?:end|fi|done|esac)\b",
    )


_MAKERS = {
    "python": _python,
    "ruby crystal": _ruby,
    "bash sh zsh shell console": _shell,
    "lua": _lua,
    "sql": _sql,
    "c cpp objc objectivec h hpp cc cuda glsl": _c,
    "csharp cs": _csharp,
    "java scala groovy dart solidity": _java,
    "javascript typescript js ts jsx tsx mjs": _javascript,
    "go golang": _go,
    "rust rs zig": _rust,
    "kotlin swift kt": _kotlin,
    "php": _php,
    "css scss less": _css,
    "html xml vue svelte xhtml svg": _markup,
    "yaml yml json toml ini json5 properties": _keyed,
    "r": _r,
    "perl": _perl,
    "powershell ps1": _powershell,
    "terraform hcl": _terraform,
    "graphql protobuf proto": _schema,
    "clojure lisp scheme elisp racket": _lisp,
    "elixir": _elixir,
    "haskell ocaml erlang elm fsharp": _functional,
}
_BY_NAME = {name: maker for names, maker in _MAKERS.items() for name in names.split()}
_ALSO = {"py": "python", "rb": "ruby", "c++": "cpp", "c#": "csharp", "js": "javascript", "ts": "typescript"}


def syntax_of(language: str) -> Syntax:
    """Return the syntax of a language by its name, one for any language if it has none of its own."""
    name = language.strip().lower()
    return _made(_ALSO.get(name, name) if _ALSO.get(name, name) in _BY_NAME else "")


@lru_cache(maxsize=64)
def _made(language: str) -> Syntax:
    return _BY_NAME.get(language, _unknown)()
