/** Formats figures. */

/** Keeps a figure and its unit on one line. */
const UNIT_SPACE = '\u00a0'

const rounded = (value: number, digits: number): string => value.toFixed(digits)

/** Milliseconds: `340 ms`, `6.0 s`, `2 min 05 s`. */
export const duration = (ms: number | undefined): string => {
  if (ms === undefined || !Number.isFinite(ms)) return '–'
  if (ms < 999.5) return `${Math.round(ms)}${UNIT_SPACE}ms`
  if (ms < 59_950) return `${rounded(ms / 1000, 1)}${UNIT_SPACE}s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600)
    return `${Math.floor(seconds / 60)}${UNIT_SPACE}min${UNIT_SPACE}${String(seconds % 60).padStart(2, '0')}${UNIT_SPACE}s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)}${UNIT_SPACE}h${UNIT_SPACE}${String(minutes % 60).padStart(2, '0')}${UNIT_SPACE}min`
}

/** A moment of an episode: `0:07.3`. */
export const moment = (ms: number): string => {
  const tenths = Math.max(0, Math.round(ms / 100))
  const seconds = Math.floor(tenths / 10)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.${tenths % 10}`
}

/** `87 %`; `0.4 %` and `99.6 %` near the ends, so that a share never rounds to 0 or 100 %. */
export const percent = (share: number | undefined): string => {
  if (share === undefined || !Number.isFinite(share)) return '–'
  const value = share * 100
  const isEdge = (value > 0 && value < 1) || (value > 99 && value < 100)
  const text = isEdge ? rounded(Math.min(99.9, Math.max(0.1, value)), 1) : rounded(value, 0)
  return `${text}${UNIT_SPACE}%`
}

/** `1240`, `12.4k`, `3.1M` */
export const count = (value: number): string => {
  if (!Number.isFinite(value)) return '–'
  if (value >= 999_500) return `${rounded(value / 1e6, 1)}M`
  if (value >= 10_000) return `${rounded(value / 1000, value >= 99_950 ? 0 : 1)}k`
  return Number.isInteger(value) ? String(value) : rounded(value, 1)
}

/** US dollars. */
export const money = (usd: number | undefined): string => {
  if (usd === undefined || !Number.isFinite(usd)) return '–'
  if (usd === 0) return '$0'
  return usd < 0.1 ? `$${usd.toPrecision(2)}` : `$${rounded(usd, 2)}`
}

/** `1 episode`, `3 episodes` */
export const plural = (number: number, singular: string, pluralForm = `${singular}s`): string =>
  `${count(number)}${UNIT_SPACE}${number === 1 ? singular : pluralForm}`

/** Formats milliseconds since the epoch in UTC, so that every reader sees the same time: `2026-11-15 15:14 UTC`. */
export const date = (time: number): string => {
  const value = new Date(time)
  return Number.isNaN(value.getTime()) ? '–' : `${value.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

export const capitalise = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
