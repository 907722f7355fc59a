/** The regular expressions of Jinja's lexer. */

export const OPENING = /\{\{[-+]?|\{#[-+]?|\{%([-+]?)\s*raw\s*(?:-%\}\s*|%\})|\{%[-+]?/g

export const COMMENT_END = /\+#\}|-#\}\s*|#\}\n?/g

export const RAW_END = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}\n?)/g

export const BLOCK_END = /\+%\}|-%\}\s*|%\}\n?/y

export const VARIABLE_END = /-\}\}\s*|\}\}/y

// biome-ignore lint/suspicious/noControlCharactersInRegex: Python counts them as white space
export const SPACE = /[\s\x1c-\x1f\x85]+/y

export const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[-+]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy

export const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy

export const NAME = /[A-Za-z_]\w*/y

export const STRING = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y

export const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y

export const WORD = /[\p{L}\p{N}\p{M}_]/u
