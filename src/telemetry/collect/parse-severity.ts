/** How grave a line of a log is, from the forms in which programs say so. */
import type { Severity } from '../../spec/index.ts'

/** What programs write before their message; what they say later is not about the line. */
const HEAD = 220

const WORDS: Readonly<Record<string, Severity>> = {
  trace: 'debug',
  debug: 'debug',
  verbose: 'debug',
  finest: 'debug',
  finer: 'debug',
  fine: 'debug',
  debug1: 'debug',
  info: 'info',
  information: 'info',
  notice: 'info',
  note: 'info',
  config: 'info',
  log: 'info',
  system: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  err: 'error',
  fatal: 'error',
  critical: 'error',
  crit: 'error',
  severe: 'error',
  alert: 'error',
  emerg: 'error',
  panic: 'error',
}
const LETTERS: Readonly<Record<string, Severity>> = {
  D: 'debug',
  V: 'debug',
  I: 'info',
  N: 'info',
  W: 'warn',
  E: 'error',
  F: 'error',
  C: 'error',
}
const REDIS_MARKS: Readonly<Record<string, Severity>> = {
  '.': 'debug',
  '-': 'debug',
  '*': 'info',
  '#': 'warn',
}

/** `"level":"warn"`, `"severity":"ERROR"`, `"level":50` as pino counts, `"s":"E"` as MongoDB has it. */
const JSON_LEVEL = /"(?:level|severity|lvl|levelname|log\.level|loglevel|s)"\s*:\s*(?:"([A-Za-z]+)"|(\d+))/
const PINO = 10
/** `level=error` of logfmt. */
const LOGFMT = /(?:^|\s)(?:level|lvl|severity)="?([A-Za-z]+)/
/** `[error] 12#12:` of nginx, `[Warning]` of MySQL and RabbitMQ, `<warning>` of Boost. */
const BRACKETED = /[[<]\s*([A-Za-z]+)\s*[\]>]/g
/** `ERROR` of Spring and log4j, `INFO:name:` and `- WARNING -` of Python. */
const CAPITALS =
  /(?:^|[^A-Za-z_])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL)(?![A-Za-z_])/
/** `E1115 09:00:00.000000` of klog. */
const KLOG = /^([IWEF])\d{4} \d\d:/
/** `1:M 15 Nov 2026 09:00:00.000 # ` of Redis. */
const REDIS = /^\d+:[A-Z] \d\d \w{3} \d{4} [\d:.]+ ([.\-*#]) /
/** `"GET / HTTP/1.1" 500` of access logs. */
const ACCESS = /" ([1-5])\d\d[ $]|" ([1-5])\d\d$/
/** What programs say when they fail without a logger. */
const CRASH =
  /^(?:panic:|fatal error:|Traceback \(most recent|Unhandled|Uncaught|Exception in thread|Caused by:)/
const THROWN = /^(?:[a-z][\w$]*\.)+[A-Z]\w*(?:Exception|Error)\b|^[A-Z]\w*(?:Error|Exception): /

const ofWord = (word: string | undefined): Severity | undefined =>
  word === undefined
    ? undefined
    : (WORDS[word.toLowerCase()] ?? (word.length === 1 ? LETTERS[word] : undefined))

const ofJson = (line: string): Severity | undefined => {
  const [, word, digits] = JSON_LEVEL.exec(line) ?? []
  if (word !== undefined) return ofWord(word)
  if (digits === undefined) return undefined
  const level = Math.floor(Number(digits) / PINO)
  return level >= 5 ? 'error' : level === 4 ? 'warn' : level === 3 ? 'info' : 'debug'
}

const ofBrackets = (head: string): Severity | undefined => {
  for (const [, word] of head.matchAll(BRACKETED)) {
    const severity = ofWord(word)
    if (severity !== undefined && word!.length > 1) return severity
  }
  return undefined
}

const ofStatus = (line: string): Severity | undefined => {
  const [, middle, last] = ACCESS.exec(line) ?? []
  const family = middle ?? last
  if (family === undefined) return undefined
  return family === '5' ? 'error' : family === '4' ? 'warn' : 'info'
}

/** `info` where the line does not say. */
export const parseSeverity = (line: string): Severity => {
  if (line.startsWith('{')) return ofJson(line.slice(0, 4 * HEAD)) ?? 'info'
  const head = line.length > HEAD ? line.slice(0, HEAD) : line
  return (
    ofWord(KLOG.exec(head)?.[1]) ??
    REDIS_MARKS[REDIS.exec(head)?.[1] ?? ''] ??
    ofWord(LOGFMT.exec(head)?.[1]) ??
    ofBrackets(head) ??
    ofWord(CAPITALS.exec(head)?.[1]) ??
    ofStatus(line.slice(0, 4 * HEAD)) ??
    (CRASH.test(head) || THROWN.test(head) ? 'error' : 'info')
  )
}
