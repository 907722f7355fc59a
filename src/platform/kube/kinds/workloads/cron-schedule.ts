/** Validates cron schedules and time zones, with the messages of kube-apiserver. */

interface Bounds {
  min: number
  max: number
  names?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
]
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']
const DURATION = /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$/

class ScheduleError extends Error {}

const parseNumber = (text: string): number => {
  if (!/^[-+]?\d+$/.test(text))
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  const value = Number(text)
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${text}`)
  return value
}

const parseValue = (text: string, { min, names }: Bounds): number => {
  const nameIndex = names?.indexOf(text.toLowerCase()) ?? -1
  return nameIndex >= 0 ? nameIndex + min : parseNumber(text)
}

/** Checks one comma-separated part: a star, a number or a range, with an optional step. */
const checkRange = (text: string, bounds: Bounds): void => {
  const [span = '', step, ...moreSteps] = text.split('/')
  const [low = '', high, ...moreBounds] = span.split('-')
  let start = bounds.min
  let end = bounds.max
  if (low !== '*' && low !== '?') {
    start = parseValue(low, bounds)
    if (moreBounds.length > 0) throw new ScheduleError(`too many hyphens: ${text}`)
    if (high !== undefined) end = parseValue(high, bounds)
    else if (step === undefined) end = start
  }
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`)
  const stepSize = step === undefined ? 1 : parseNumber(step)
  if (start < bounds.min)
    throw new ScheduleError(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`)
  if (end > bounds.max)
    throw new ScheduleError(`end of range (${end}) above maximum (${bounds.max}): ${text}`)
  if (start > end)
    throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (stepSize === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`)
}

const checkDescriptor = (text: string): void => {
  if (DESCRIPTORS.includes(text)) return
  if (!text.startsWith('@every ')) throw new ScheduleError(`unrecognized descriptor: ${text}`)
  const duration = text.slice('@every '.length)
  if (!DURATION.test(duration))
    throw new ScheduleError(
      `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`,
    )
}

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const checkFields = (schedule: string): void => {
  const fields = schedule.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== FIELDS.length)
    throw new ScheduleError(
      `expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`,
    )
  fields.forEach((field, index) => {
    for (const part of field.split(',').filter((text) => text !== '')) checkRange(part, FIELDS[index]!)
  })
}

const checkSchedule = (text: string): void => {
  if (text === '') throw new ScheduleError('empty spec string')
  const zone = /^(?:TZ|CRON_TZ)=(\S+)\s*(.*)$/s.exec(text)
  if (zone !== null && !isTimeZone(zone[1]!))
    throw new ScheduleError(`provided bad location ${zone[1]}: unknown time zone ${zone[1]}`)
  const schedule = zone === null ? text : zone[2]!
  if (schedule.startsWith('@')) checkDescriptor(schedule)
  else checkFields(schedule)
}

/** Returns the message about an invalid schedule; undefined if it is valid. */
export const scheduleProblem = (text: string): string | undefined => {
  try {
    checkSchedule(text)
    return undefined
  } catch (error) {
    if (error instanceof ScheduleError) return error.message
    throw error
  }
}

/** Returns the message about an invalid time zone; undefined if it is valid. */
export const timeZoneProblem = (name: string): string | undefined => {
  if (name === '') return 'timeZone must be nil or non-empty string'
  if (name.toLowerCase() === 'local')
    return 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
  return isTimeZone(name) ? undefined : `unknown time zone ${name}`
}
