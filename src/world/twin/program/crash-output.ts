/** The output of a crashing process, as the framework of the original writes it. */
import type { LogFormat } from '#spec'

/** The error of a release that crashes at start. */
export const crashReason = (format: LogFormat): string => {
  if (format === 'spring')
    return 'Failed to execute ApplicationRunner; nested exception is java.lang.NullPointerException'
  if (format === 'go-json' || format === 'zerolog')
    return 'runtime error: invalid memory address or nil pointer dereference'
  if (format === 'python') return 'the server was never created'
  return format === 'pino' ? "Cannot read properties of undefined (reading 'start')" : 'unexpected null value'
}

const springTime = (time: number): string => new Date(time).toISOString().replace('T', ' ').slice(0, 23)

const spring = (message: string, time: number): string[] => [
  `${springTime(time)} ERROR 1 --- [           main] o.s.boot.SpringApplication               : Application run failed`,
  '',
  `java.lang.IllegalStateException: ${message}`,
  '\tat org.springframework.boot.SpringApplication.refreshContext(SpringApplication.java:397)',
  '\tat org.springframework.boot.SpringApplication.run(SpringApplication.java:315)',
]

const go = (message: string): string[] => [
  `panic: ${message}`,
  '',
  'goroutine 1 [running]:',
  'main.main()',
  '\t/src/main.go:96 +0x1d4',
]

const python = (message: string): string[] => [
  'Traceback (most recent call last):',
  '  File "server.py", line 114, in <module>',
  '    serve()',
  `RuntimeError: ${message}`,
]

const node = (message: string): string[] => [
  '/usr/src/app/server.js:88',
  '    throw err;',
  '    ^',
  '',
  `Error: ${message}`,
  '    at Object.<anonymous> (/usr/src/app/server.js:88:11)',
]

const thrift = (message: string): string[] => [
  "terminate called after throwing an instance of 'std::runtime_error'",
  `  what():  ${message}`,
]

const FORMATS: Readonly<Record<LogFormat, (message: string, time: number) => string[]>> = {
  spring,
  'go-json': go,
  zerolog: go,
  pino: node,
  python,
  thrift,
  nginx: (message) => [`nginx: [emerg] ${message}`],
  redis: (message) => [`# Fatal error: ${message}`],
  verbatim: (message) => [`fatal: ${message}`],
  plain: (message) => [`fatal: ${message}`],
}

/** The output about an error that ends the program. `time` is in milliseconds since the epoch. */
export const formatCrash = (error: unknown, time: number, format: LogFormat = 'plain'): string => {
  const message = error instanceof Error ? error.message : String(error)
  return `${FORMATS[format](message, time).join('\n')}\n`
}
