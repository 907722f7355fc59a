/** Wraps text as Python's `textwrap.wrap` does. */

const LETTER = String.raw`[\p{L}_]`
const WORD = String.raw`[\p{L}\p{N}_!"'&.,?]`

/** A part after which a line can break: spaces, a dash between words, or a word up to its end or to a hyphen in it. */
const CHUNK = new RegExp(
  [
    ' +',
    String.raw`(?<=${WORD})-{2,}(?=[\p{L}\p{N}_])`,
    String.raw`[^ ]+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${LETTER}-))(?=${LETTER}-?${LETTER})|(?= |$)|(?<=${WORD})(?=-{2,}[\p{L}\p{N}_]))`,
  ].join('|'),
  'gu',
)

/** Returns where to break a word that is longer than a line: after the last hyphen that fits, or at the end of the line. */
const breakAt = (chunk: string, room: number): number => {
  const hyphen = room === 0 ? -1 : chunk.lastIndexOf('-', room - 1)
  return hyphen > 0 && /[^-]/.test(chunk.slice(0, hyphen)) ? hyphen + 1 : room
}

export const wrapText = (text: string, width: number): string[] => {
  const chunks = [...text.replaceAll(/[\t\n\v\f\r]/g, ' ').matchAll(CHUNK)].map(([chunk]) => chunk).reverse()
  const lines: string[] = []
  while (chunks.length > 0) {
    if (lines.length > 0 && chunks.at(-1)!.trim() === '') chunks.pop()
    const parts: string[] = []
    let length = 0
    while (chunks.length > 0 && length + chunks.at(-1)!.length <= width) {
      const chunk = chunks.pop()!
      parts.push(chunk)
      length += chunk.length
    }
    const next = chunks.at(-1)
    if (next !== undefined && next.length > width) {
      const end = breakAt(next, width - length)
      parts.push(next.slice(0, end))
      chunks[chunks.length - 1] = next.slice(end)
    }
    if (parts.at(-1)?.trim() === '') parts.pop()
    if (parts.length > 0) lines.push(parts.join(''))
  }
  return lines
}
