/** The log of a service: lines as its original writes them, from a level on. */
import type { LogFormat, LogLevel } from '../../spec/index.ts'
import type { Log } from '../ports/index.ts'
import { LINE_FORMATS } from './line-formats.ts'
import type { Output } from './output.ts'

export interface LogSettings {
  readonly format: LogFormat
  readonly level: LogLevel
  readonly service: string
  readonly host: string
  /** That the service listens on. */
  readonly port: number
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Of a stack the originals that write JSON make one line, too; a line break would tear it in two for whoever reads. */
const isJson = (format: LogFormat): boolean =>
  format === 'go-json' || format === 'pino' || format === 'python'

export const createLog = (settings: LogSettings, output: Output): Log => {
  const { format, service, host, port } = settings
  const toLine = LINE_FORMATS[format]
  const lowest = RANKS[settings.level]
  return (level, text, fields = {}) => {
    if (RANKS[level] < lowest) return
    const clean = isJson(format) ? text : text.replaceAll('\n', '\\n')
    output.write(`${toLine({ time: new Date(), level, text: clean, service, host, port, fields })}\n`)
  }
}
