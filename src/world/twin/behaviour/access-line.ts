/** Formats a line of nginx's access log. */
import type { IncomingRequest, OutgoingAnswer } from '#world/twin/ports'
import { answerSize } from './answer-size.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** `15/Nov/2026:06:00:00 +0000` */
const toLogTime = (time: Date): string => {
  const day = `${twoDigits(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}`
  return `${day}:${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())} +0000`
}

/** Escapes quotes, because the text comes from the client. */
const quote = (text: string): string => `"${text.replaceAll('"', '\\x22')}"`

/** `time` is in milliseconds since the epoch. */
export const accessLine = (request: IncomingRequest, answer: OutgoingAnswer, time: number): string => {
  const { method, headers, raw, path, from: client = '-' } = request
  const requestLine = quote(`${method} ${raw?.target ?? path} HTTP/1.1`)
  const origin = `${quote(headers.referer ?? '-')} ${quote(headers['user-agent'] ?? '-')}`
  return `${client} - - [${toLogTime(new Date(time))}] ${requestLine} ${answer.status} ${answerSize(answer)} ${origin}`
}
