/** A line of nginx's access log. */
import type { IncomingRequest, OutgoingAnswer } from '../ports/index.ts'
import { answerSize } from './answer-size.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const two = (value: number): string => String(value).padStart(2, '0')

/** `15/Nov/2026:06:00:00 +0000` */
const toLogTime = (time: Date): string => {
  const day = `${two(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}`
  return `${day}:${two(time.getUTCHours())}:${two(time.getUTCMinutes())}:${two(time.getUTCSeconds())} +0000`
}

/** What a client says cannot end the quotes around it. */
const quote = (text: string): string => `"${text.replaceAll('"', '\\x22')}"`

export const accessLine = (request: IncomingRequest, answer: OutgoingAnswer): string => {
  const { method, headers, raw, path, from: client = '-' } = request
  const asked = quote(`${method} ${raw?.target ?? path} HTTP/1.1`)
  const from = `${quote(headers.referer ?? '-')} ${quote(headers['user-agent'] ?? '-')}`
  return `${client} - - [${toLogTime(new Date())}] ${asked} ${answer.status} ${answerSize(answer)} ${from}`
}
