/** The accounts of a MySQL server and their privileges. Changes are logged, like changes to rows. */
import { MysqlError } from './mysql-error.ts'
import { toStoredPassword } from './native-password.ts'

export interface Account {
  readonly user: string
  /** `%`, `localhost`, an address, or a prefix such as `10.0.%`. */
  readonly host: string
  /** Double SHA-1 hash in hex; empty for no password. */
  password: string
  /** Privileges such as `ALL` or `SELECT`, by scope (`*.*`, `ts.*`, `ts.orders`). */
  grants: Record<string, string[]>
}

/** A change to an account, in the format of the log. */
export type AccountChange =
  | { readonly create: { user: string; host: string }; readonly password: string; readonly lenient?: boolean }
  | { readonly drop: { user: string; host: string }; readonly lenient?: boolean }
  | { readonly setPassword: { user: string; host: string }; readonly password: string }
  | { readonly grant: readonly string[]; readonly on: string; readonly to: { user: string; host: string } }
  | { readonly revoke: readonly string[]; readonly on: string; readonly from: { user: string; host: string } }

const isLocal = (address: string): boolean => /^(::1|(::ffff:)?127\.)/.test(address)

/** Converts an address to the host name that messages and accounts use. */
export const toHost = (address: string): string =>
  isLocal(address) ? 'localhost' : address.replace(/^::ffff:/, '')

const matchesHost = (pattern: string, host: string): boolean =>
  pattern === '%' ||
  pattern === host ||
  (host === 'localhost' && (pattern === '127.0.0.1' || pattern === '::1')) ||
  (pattern.endsWith('%') && host.startsWith(pattern.slice(0, -1)))

const operationFailed = (operation: string, { user, host }: { user: string; host: string }): MysqlError =>
  new MysqlError(1396, 'HY000', `Operation ${operation} failed for '${user}'@'${host}'`)

export class Accounts {
  #accounts: Account[] = []

  list(): readonly Account[] {
    return this.#accounts
  }

  load(accounts: readonly Account[]): void {
    this.#accounts = accounts.map((account) => ({ ...account, grants: structuredClone(account.grants) }))
  }

  /** Returns the most specific matching account. An account without a user name matches every user. */
  find(user: string, host: string): Account | undefined {
    return this.#accounts
      .filter((account) => (account.user === user || account.user === '') && matchesHost(account.host, host))
      .sort((a, b) => specificityOf(b, user) - specificityOf(a, user))[0]
  }

  findExact(user: string, host: string): Account | undefined {
    return this.#accounts.find((account) => account.user === user && account.host === host)
  }

  isAllowed(account: Account, privilege: string, database?: string, table?: string): boolean {
    const scopes = ['*.*', ...(database === undefined ? [] : [`${database}.*`, `${database}.${table}`])]
    return scopes.some((scope) => {
      const granted = account.grants[scope]
      return granted !== undefined && (granted.includes('ALL') || granted.includes(privilege))
    })
  }

  /** Whether the account has any privilege on the database. */
  canUse(account: Account, database: string): boolean {
    return Object.entries(account.grants).some(
      ([scope, granted]) => granted.length > 0 && (scope === '*.*' || scope.startsWith(`${database}.`)),
    )
  }

  /** Throws if the change is invalid; does not apply it. */
  check(change: AccountChange): void {
    if ('create' in change && !change.lenient && this.findExact(change.create.user, change.create.host))
      throw operationFailed('CREATE USER', change.create)
    if ('drop' in change && !change.lenient && !this.findExact(change.drop.user, change.drop.host))
      throw operationFailed('DROP USER', change.drop)
    if ('setPassword' in change && !this.findExact(change.setPassword.user, change.setPassword.host))
      throw operationFailed('ALTER USER', change.setPassword)
    if ('grant' in change && !this.findExact(change.to.user, change.to.host))
      throw new MysqlError(1410, '42000', 'You are not allowed to create a user with GRANT')
    if (
      'revoke' in change &&
      this.findExact(change.from.user, change.from.host)?.grants[change.on] === undefined
    )
      throw new MysqlError(
        1141,
        '42000',
        `There is no such grant defined for user '${change.from.user}' on host '${change.from.host}'`,
      )
  }

  apply(change: AccountChange): void {
    if ('create' in change) this.#create(change.create, change.password)
    else if ('drop' in change)
      this.#accounts = this.#accounts.filter(
        ({ user, host }) => user !== change.drop.user || host !== change.drop.host,
      )
    else if ('setPassword' in change) {
      const account = this.findExact(change.setPassword.user, change.setPassword.host)
      if (account) account.password = toStoredPassword(change.password)
    } else if ('grant' in change) {
      const grants = this.findExact(change.to.user, change.to.host)?.grants
      if (grants) grants[change.on] = [...new Set([...(grants[change.on] ?? []), ...change.grant])]
    } else this.#revoke(change)
  }

  #create({ user, host }: { user: string; host: string }, password: string): void {
    if (this.findExact(user, host)) return
    this.#accounts.push({ user, host, password: toStoredPassword(password), grants: {} })
  }

  #revoke({ revoke, on, from }: Extract<AccountChange, { revoke: unknown }>): void {
    const grants = this.findExact(from.user, from.host)?.grants
    if (grants === undefined) return
    const remaining = revoke.includes('ALL')
      ? []
      : (grants[on] ?? []).filter((privilege) => !revoke.includes(privilege))
    if (remaining.length === 0) delete grants[on]
    else grants[on] = remaining
  }
}

/**
 * The more specific host wins: an exact host over a pattern, a longer pattern over a shorter one. If the
 * hosts are equally specific, a named user wins over the anonymous one.
 */
const specificityOf = (account: Account, user: string): number =>
  (account.host.includes('%') ? account.host.length : 1_000) * 2 + (account.user === user ? 1 : 0)
