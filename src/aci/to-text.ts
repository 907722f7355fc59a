/** Answers for a language model: in sections, bounded, and with how to get the rest. */

/** Letters of one answer. */
export const MOST_LETTERS = 6000
const MOST_OF_A_LINE = 400
/** Kept free for the last line. */
const RESERVE = 240

export interface Section {
  readonly title: string
  /** The important first. */
  readonly lines: readonly string[]
  /** Where there are none: nothing is said where absent. */
  readonly otherwise?: string
  /** How many at most; as many as find room where absent. */
  readonly most?: number
}

/** On one line, and not longer than a line should be. */
export const toLine = (text: string, most = MOST_OF_A_LINE): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most)}...` : line
}

/** Whether `toLine` leaves something out. */
export const isTooLong = (text: string, most = MOST_OF_A_LINE): boolean =>
  toLine(text, Number.POSITIVE_INFINITY).length > most

/** With whether something was left out. */
export const tellSections = (sections: readonly Section[]): { text: string; isCut: boolean } => {
  const told: string[] = []
  let room = MOST_LETTERS - RESERVE
  let isCut = false
  const tell = (line: string): boolean => {
    if (line.length + 1 > room) return false
    told.push(line)
    room -= line.length + 1
    return true
  }
  for (const { title, lines, otherwise, most = Number.POSITIVE_INFINITY } of sections) {
    if (lines.length === 0) {
      if (otherwise !== undefined) tell(`${title}: ${otherwise}`)
      continue
    }
    tell(`${title}:`)
    const shown = lines.slice(0, most).findIndex((line) => !tell(`- ${toLine(line)}`))
    const count = shown < 0 ? Math.min(lines.length, most) : shown
    isCut ||= lines.slice(0, count).some((line) => isTooLong(line))
    if (count === lines.length) continue
    isCut = true
    told.push(`  (${lines.length - count} more)`)
    room -= 24
  }
  return { text: told.join('\n'), isCut }
}

/** `rest` is said where something was left out, here or by whoever made the lines. */
export const toText = (sections: readonly Section[], rest: string, isShortened = false): string => {
  const { text, isCut } = tellSections(sections)
  return isCut || isShortened ? `${text}\n${rest}` : text
}

/** The beginning and the end of a text that is too long, with what was left out between them. */
export const clip = (text: string, most: number, share = 0.5): string => {
  if (text.length <= most) return text
  const head = Math.floor(most * share)
  const tail = most - head
  return `${text.slice(0, head)}\n... ${text.length - most} characters left out ...\n${tail === 0 ? '' : text.slice(-tail)}`
}

/** `15:04:05.123`, UTC. */
export const toClock = (time: number): string =>
  Number.isFinite(time) ? new Date(time).toISOString().slice(11, 23) : 'unknown'

export const toMs = (value: number | undefined): string =>
  value === undefined ? 'unknown' : `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`

export const toPercent = (share: number): string => `${Math.round(share * 1000) / 10} %`
