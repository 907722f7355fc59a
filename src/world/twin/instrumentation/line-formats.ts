/** The log line formats of the originals, one function per log format in topologies. */
import type { LogFormat, LogLevel } from '#spec'

export interface Line {
  readonly time: Date
  readonly level: LogLevel
  readonly text: string
  readonly service: string
  readonly host: string
  /** The port on which the service listens. */
  readonly port: number
  readonly fields: Readonly<Record<string, unknown>>
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
const threeDigits = (value: number): string => String(value).padStart(3, '0')

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const formatTime = (time: Date): string =>
  `${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())}`

const formatDate = (time: Date, separator: string): string =>
  `${time.getUTCFullYear()}${separator}${twoDigits(time.getUTCMonth() + 1)}${separator}${twoDigits(time.getUTCDate())}`

/** Converts `ts-order-service` to `order.OrderService`. */
const springLogger = (service: string): string => {
  const words = service.replace(/^ts-/, '').split('-')
  return `${words[0]}.${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
}

/** The last fifteen characters of the thread name: `nio-8080-exec-1`, `io-12031-exec-1`. */
const springThread = (port: number): string => `http-nio-${port}-exec-1`.slice(-15).padStart(15)

const spring = ({ time, level, text, service, port }: Line): string => {
  const logger = springLogger(service).padEnd(40).slice(0, 40)
  const timestamp = `${formatDate(time, '-')} ${formatTime(time)}.${threeDigits(time.getUTCMilliseconds())}`
  return `${timestamp} ${level.toUpperCase().padStart(5)} 1 --- [${springThread(port)}] ${logger} : ${text}`
}

const logrusLevel = (level: LogLevel): string => (level === 'warn' ? 'warning' : level)

const goJson = ({ time, level, text, fields }: Line): string =>
  JSON.stringify({ ...fields, message: text, severity: logrusLevel(level), timestamp: time.toISOString() })

const ZEROLOG_LEVELS: Readonly<Record<LogLevel, string>> = {
  debug: 'DBG',
  info: 'INF',
  warn: 'WRN',
  error: 'ERR',
}

const zerolog = ({ time, level, text, service, fields }: Line): string => {
  const extra = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  const timestamp = `${formatDate(time, '-')}T${formatTime(time)}Z`
  return `${timestamp} ${ZEROLOG_LEVELS[level]} services/${service}/server.go > ${text}${extra.join('')}`
}

const pino = ({ time, level, text, service, host, fields }: Line): string =>
  JSON.stringify({
    severity: level,
    time: time.getTime(),
    pid: 1,
    hostname: host,
    name: `${service}-server`,
    ...fields,
    message: text,
  })

const pythonLevel = (level: LogLevel): string => (level === 'warn' ? 'WARNING' : level.toUpperCase())

const python = ({ time, level, text, service, fields }: Line): string =>
  JSON.stringify({
    timestamp: time.getTime() / 1000,
    severity: pythonLevel(level),
    name: `${service}-server`,
    ...fields,
    message: text,
  })

const boostLevel = (level: LogLevel): string => (level === 'warn' ? 'warning' : level)

/** Converts `social-graph-service` to `SocialGraphService`. */
const thriftFile = (service: string): string =>
  service
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const thrift = ({ time, level, text, service }: Line): string => {
  const date = `${time.getUTCFullYear()}-${MONTHS[time.getUTCMonth()]}-${twoDigits(time.getUTCDate())}`
  const timestamp = `${date} ${formatTime(time)}.${threeDigits(time.getUTCMilliseconds())}000`
  return `[${timestamp}] <${boostLevel(level)}>: (${thriftFile(service)}.cpp) ${text}`
}

/** A line with the field `access` is an access log entry and is written unchanged. */
const nginx = ({ time, level, text, fields }: Line): string =>
  fields.access === true ? text : `${formatDate(time, '/')} ${formatTime(time)} [${level}] 7#7: ${text}`

const plain = ({ time, level, text }: Line): string => `${time.toISOString()} ${level.toUpperCase()} ${text}`

const REDIS_LEVELS: Readonly<Record<LogLevel, string>> = { debug: '-', info: '*', warn: '#', error: '#' }

const redis = ({ time, level, text }: Line): string => {
  const date = `${twoDigits(time.getUTCDate())} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()}`
  return `1:M ${date} ${formatTime(time)}.${threeDigits(time.getUTCMilliseconds())} ${REDIS_LEVELS[level]} ${text}`
}

/** For programs that include time and level in the text. */
const verbatim = ({ text }: Line): string => text

export const LINE_FORMATS: Readonly<Record<LogFormat, (line: Line) => string>> = {
  spring,
  'go-json': goJson,
  zerolog,
  pino,
  python,
  thrift,
  nginx,
  redis,
  verbatim,
  plain,
}
