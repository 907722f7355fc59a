/** Highlights keys, strings, comments and templates in YAML. */
import { type Html, html, type Part } from './html.ts'

/** `- name: "x"  # why` as its indentation, dash, key, colon and the rest. */
const LINE = /^(\s*)((?:- +)*)(?:("[^"]*"|'[^']*'|[^\s#'"{[][^:#]*?)(:)(?=\s|$))?(.*)$/
const COMMENT = /^(.*?)(\s#.*|^#.*)$/
const TEMPLATE = /\{\{.*?\}\}|\{%.*?%\}/g

const withTemplates = (text: string): Part => {
  const parts: Part[] = []
  let from = 0
  for (const match of text.matchAll(TEMPLATE)) {
    parts.push(text.slice(from, match.index), html`<i class="y-template">${match[0]}</i>`)
    from = match.index + match[0].length
  }
  return [...parts, text.slice(from)]
}

const valueHtml = (text: string): Part => {
  const bare = text.trim()
  if (/^["']/.test(bare)) return html`<i class="y-string">${withTemplates(text)}</i>`
  if (/^(true|false|yes|no|null|~|-?\d[\d._]*)$/i.test(bare)) return html`<i class="y-plain">${text}</i>`
  return withTemplates(text)
}

/** Longer lines are not highlighted. */
const MAX_LINE_CHARACTERS = 1000

const lineHtml = (text: string): Html => {
  if (text.length > MAX_LINE_CHARACTERS) return html`${text}`
  const [, indent = '', dash = '', key, colon = '', rest = ''] = LINE.exec(text) ?? []
  const isQuoted = /^\s*["']/.test(rest)
  const [, before = rest, comment = ''] = (isQuoted ? undefined : COMMENT.exec(rest)) ?? []
  return html`${indent}${dash !== '' && html`<i class="y-dash">${dash}</i>`}${
    key !== undefined && html`<i class="y-key">${key}</i>${colon}`
  }${valueHtml(before)}${comment !== '' && html`<i class="y-comment">${comment}</i>`}`
}

export const highlightYaml = (text: string): Html =>
  html`${text
    .trimEnd()
    .split('\n')
    .map((line, index) => [index === 0 ? '' : '\n', lineHtml(line)])}`
