/** Timestamps of API objects, and ages as tables show them. */

/** Formats a metav1.Time, in whole seconds: `2026-11-15T01:40:47Z`. */
export const toTime = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** Formats a metav1.MicroTime: `2026-11-15T01:40:47.123000Z`. */
export const toMicroTime = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`

export const fromTime = (text: string): number => Date.parse(text)

/** Formats a duration as kubectl does: `5s`, `3m21s`, `5h`, `2d3h`. */
export const humanDuration = (milliseconds: number): string => {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  if (days < 8 * 365) return days % 365 === 0 ? `${years}y` : `${years}y${days % 365}d`
  return `${years}y`
}

/** Returns the age of a timestamp at `now`, or `<unknown>`. */
export const ageOf = (timestamp: string | undefined, now: number): string =>
  timestamp === undefined ? '<unknown>' : humanDuration(now - fromTime(timestamp))
