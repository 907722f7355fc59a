/**
 * The command line of the shell: `mongo [host[:port]/]db -u user -p password --authenticationDatabase admin
 * --eval text`.
 */

export interface ShellOptions {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
  readonly authenticationDatabase: string
  readonly script: string | undefined
}

const OPTIONS_WITH_VALUE: Record<string, string> = {
  '-u': 'user',
  '--username': 'user',
  '-p': 'password',
  '--password': 'password',
  '--authenticationDatabase': 'authenticationDatabase',
  '--authenticationMechanism': 'mechanism',
  '--eval': 'script',
  '--host': 'host',
  '-h': 'host',
  '--port': 'port',
}

const FLAGS = ['--quiet', '--norc', '--verbose', '--shell']

const splitWords = (words: readonly string[]) => {
  const values: Record<string, string> = {}
  const positional: string[] = []
  for (let at = 0; at < words.length; at++) {
    const [, option = words[at]!, value] = /^(--\w+)=(.*)$/s.exec(words[at]!) ?? []
    if (OPTIONS_WITH_VALUE[option]) values[OPTIONS_WITH_VALUE[option]] = value ?? words[++at] ?? ''
    else if (option.startsWith('-') && !FLAGS.includes(option))
      throw new Error(`Error parsing command line: unrecognised option '${option}'`)
    else if (!option.startsWith('-')) positional.push(option)
  }
  return { values, target: positional[0] ?? '' }
}

export const parseShellOptions = (words: readonly string[]): ShellOptions => {
  const { values, target } = splitWords(words)
  const url = /^mongodb:\/\/(?:([^:@]*):([^@]*)@)?([^/:]+)(?::(\d+))?(?:\/([^?]*))?(?:\?(.*))?$/.exec(target)
  const hostPath = /^(?:([^/:]+)(?::(\d+))?\/)?([^/:]*)$/.exec(target)
  const [, urlUser = '', urlPassword = '', urlHost, urlPort, urlDatabase, query = ''] = url ?? []
  const source = new URLSearchParams(query).get('authSource')
  const [host, hostPort] = (values.host ?? '').split(':')
  const database = urlDatabase || hostPath?.[3] || 'test'
  return {
    host: host || urlHost || hostPath?.[1] || '127.0.0.1',
    port: Number(values.port ?? hostPort ?? urlPort ?? hostPath?.[2] ?? 27017),
    database,
    user: values.user ?? decodeURIComponent(urlUser),
    password: values.password ?? decodeURIComponent(urlPassword),
    authenticationDatabase: values.authenticationDatabase ?? source ?? (values.user ? database : 'admin'),
    script: values.script,
  }
}
