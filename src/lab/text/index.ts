/** Public interface of text for terminals: tables, figures, and untrusted text. */
export { escapeInvisible } from './escape-invisible.ts'
export { figure, percent, seconds } from './figures.ts'
export { INVISIBLE_CHARACTERS } from './invisible-characters.ts'
export { quoteUntrusted } from './quote-untrusted.ts'
export { toTable } from './to-table.ts'
