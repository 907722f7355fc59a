/** Detects the severity of a log line from common log formats. */
import type { Severity } from '#spec'

/** Only the beginning of a line is searched: the message may quote other severities. */
const HEAD_CHARACTERS = 220

const SEVERITY_WORDS: Readonly<Record<string, Severity>> = {
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
const ABBREVIATIONS: Readonly<Record<string, Severity>> = {
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

/** `"level":"warn"`, `"severity":"ERROR"`, `"level":50` of pino, `"s":"E"` of MongoDB. */
const JSON_LEVEL = /"(?:level|severity|lvl|levelname|log\.level|loglevel|s)"\s*:\s*(?:"([A-Za-z]+)"|(\d+))/
const PINO_STEP = 10
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
/** Output of programs that crash without a logger. */
const CRASH =
  /^(?:panic:|fatal error:|Traceback \(most recent|Unhandled|Uncaught|Exception in thread|Caused by:)/
const THROWN = /^(?:[a-z][\w$]*\.)+[A-Z]\w*(?:Exception|Error)\b|^[A-Z]\w*(?:Error|Exception): /

const fromWord = (word: string | undefined): Severity | undefined =>
  word === undefined
    ? undefined
    : (SEVERITY_WORDS[word.toLowerCase()] ?? (word.length === 1 ? ABBREVIATIONS[word] : undefined))

const fromJson = (line: string): Severity | undefined => {
  const [, word, digits] = JSON_LEVEL.exec(line) ?? []
  if (word !== undefined) return fromWord(word)
  if (digits === undefined) return undefined
  const level = Math.floor(Number(digits) / PINO_STEP)
  return level >= 5 ? 'error' : level === 4 ? 'warn' : level === 3 ? 'info' : 'debug'
}

const fromBrackets = (head: string): Severity | undefined => {
  for (const [, word] of head.matchAll(BRACKETED)) {
    const severity = fromWord(word)
    if (severity !== undefined && word!.length > 1) return severity
  }
  return undefined
}

const fromStatus = (line: string): Severity | undefined => {
  const [, middle, last] = ACCESS.exec(line) ?? []
  const family = middle ?? last
  if (family === undefined) return undefined
  return family === '5' ? 'error' : family === '4' ? 'warn' : 'info'
}

/** Returns `info` if the line states no severity. */
export const parseSeverity = (line: string): Severity => {
  if (line.startsWith('{')) return fromJson(line.slice(0, 4 * HEAD_CHARACTERS)) ?? 'info'
  const head = line.length > HEAD_CHARACTERS ? line.slice(0, HEAD_CHARACTERS) : line
  return (
    fromWord(KLOG.exec(head)?.[1]) ??
    REDIS_MARKS[REDIS.exec(head)?.[1] ?? ''] ??
    fromWord(LOGFMT.exec(head)?.[1]) ??
    fromBrackets(head) ??
    fromWord(CAPITALS.exec(head)?.[1]) ??
    fromStatus(line.slice(0, 4 * HEAD_CHARACTERS)) ??
    (CRASH.test(head) || THROWN.test(head) ? 'error' : 'info')
  )
}
