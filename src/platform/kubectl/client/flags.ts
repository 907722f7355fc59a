/** The flags of kubectl: how a command declares them, those of every command, and those that are refused. */

export interface FlagDefinition {
  readonly short?: string
  readonly type: 'string' | 'bool' | 'int' | 'duration' | 'list'
  /** The value of a flag without one, such as `--force` or `--dry-run`. */
  readonly bare?: string
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition>>

/** Flags of every command. */
export const GLOBAL_FLAGS: FlagDefinitions = {
  namespace: { short: 'n', type: 'string' },
  'request-timeout': { type: 'string' },
  v: { short: 'v', type: 'int' },
  'warnings-as-errors': { type: 'bool' },
}

/** Flags that lead to another server, user or context, and those that are not modelled. */
export const REFUSED_FLAGS = new Set([
  ...[
    'kubeconfig',
    'context',
    'cluster',
    'user',
    'server',
    's',
    'token',
    'as',
    'as-group',
    'username',
    'password',
  ],
  ...[
    'certificate-authority',
    'client-certificate',
    'client-key',
    'insecure-skip-tls-verify',
    'tls-server-name',
  ],
  ...['cache-dir', 'profile', 'help', 'h'],
])
