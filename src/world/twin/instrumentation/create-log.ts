/** The log of a service in the format of its original, from a minimum level upwards. */
import type { LogFormat, LogLevel } from '#spec'
import type { Log, TwinHost } from '#world/twin/ports'
import { LINE_FORMATS } from './line-formats.ts'

export interface LogSettings {
  readonly format: LogFormat
  readonly level: LogLevel
  readonly service: string
  readonly host: string
  /** The port on which the service listens. */
  readonly port: number
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** JSON formats escape line breaks. In other formats, those of a stack trace would split the entry. */
const isJson = (format: LogFormat): boolean =>
  format === 'go-json' || format === 'pino' || format === 'python'

export const createLog = (settings: LogSettings, twinHost: Pick<TwinHost, 'time' | 'write'>): Log => {
  const { format, service, host, port } = settings
  const toLine = LINE_FORMATS[format]
  const minRank = RANKS[settings.level]
  return (level, text, fields = {}) => {
    if (RANKS[level] < minRank) return
    const singleLine = isJson(format) ? text : text.replaceAll('\n', '\\n')
    const line = { time: new Date(twinHost.time.now()), level, text: singleLine, service, host, port, fields }
    twinHost.write(`${toLine(line)}\n`)
  }
}
