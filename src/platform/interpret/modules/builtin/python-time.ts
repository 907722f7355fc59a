/** Times as Python writes them. */

const pad = (number: number, digits: number): string => String(number).padStart(digits, '0')

/** `str(datetime)`; omits the microseconds if they are zero. */
export const toPythonTime = (milliseconds: number): string => {
  const text = new Date(Math.floor(milliseconds)).toISOString()
  const micro = Math.round((milliseconds % 1000) * 1000)
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${micro === 0 ? '' : `.${pad(micro, 6)}`}`
}

/** `str(timedelta)` of less than a day. */
export const toPythonDuration = (milliseconds: number): string => {
  const seconds = Math.floor(milliseconds / 1000)
  const micro = Math.round((milliseconds - seconds * 1000) * 1000)
  const clock = `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`
  return micro === 0 ? clock : `${clock}.${pad(micro, 6)}`
}
