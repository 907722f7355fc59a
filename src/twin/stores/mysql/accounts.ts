/** Who may log in to a MySQL server and what each may do. Changes go through the log, as rows do. */
import { MysqlError } from './mysql-error.ts'
import { toStoredPassword } from './native-password.ts'

export interface Account {
  readonly user: string
  /** `%`, `localhost`, an address, or the beginning of one: `10.0.%`. */
  readonly host: string
  /** Twice hashed, in hex; empty for none. */
  password: string
  /** Where (`*.*`, `ts.*`, `ts.orders`) to what: `ALL`, `SELECT`. */
  grants: Record<string, string[]>
}

/** What happens to accounts, as it is kept. */
export type AccountChange =
  | { readonly make: { user: string; host: string }; readonly password: string; readonly lenient?: boolean }
  | { readonly drop: { user: string; host: string }; readonly lenient?: boolean }
  | { readonly secure: { user: string; host: string }; readonly password: string }
  | { readonly grant: readonly string[]; readonly on: string; readonly to: { user: string; host: string } }
  | { readonly revoke: readonly string[]; readonly on: string; readonly from: { user: string; host: string } }

const isLocal = (address: string): boolean => /^(::1|(::ffff:)?127\.)/.test(address)

/** How an address is written in messages and matched with hosts. */
export const toHost = (address: string): string =>
  isLocal(address) ? 'localhost' : address.replace(/^::ffff:/, '')

const matches = (pattern: string, host: string): boolean =>
  pattern === '%' ||
  pattern === host ||
  (host === 'localhost' && (pattern === '127.0.0.1' || pattern === '::1')) ||
  (pattern.endsWith('%') && host.startsWith(pattern.slice(0, -1)))

const failed = (what: string, { user, host }: { user: string; host: string }): MysqlError =>
  new MysqlError(1396, 'HY000', `Operation ${what} failed for '${user}'@'${host}'`)

export class Accounts {
  #accounts: Account[] = []

  list(): readonly Account[] {
    return this.#accounts
  }

  load(accounts: readonly Account[]): void {
    this.#accounts = accounts.map((account) => ({ ...account, grants: structuredClone(account.grants) }))
  }

  /** The most particular one that is meant; one without a name is for everybody. */
  find(user: string, host: string): Account | undefined {
    return this.#accounts
      .filter((account) => (account.user === user || account.user === '') && matches(account.host, host))
      .sort((one, other) => weigh(other, user) - weigh(one, user))[0]
  }

  exact(user: string, host: string): Account | undefined {
    return this.#accounts.find((account) => account.user === user && account.host === host)
  }

  mayDo(account: Account, privilege: string, database?: string, table?: string): boolean {
    const places = ['*.*', ...(database === undefined ? [] : [`${database}.*`, `${database}.${table}`])]
    return places.some((place) => {
      const granted = account.grants[place]
      return granted !== undefined && (granted.includes('ALL') || granted.includes(privilege))
    })
  }

  /** Whether it may do anything at all there. */
  mayEnter(account: Account, database: string): boolean {
    return Object.entries(account.grants).some(
      ([place, granted]) => granted.length > 0 && (place === '*.*' || place.startsWith(`${database}.`)),
    )
  }

  /** Throws where the change cannot be made; changes nothing. */
  check(change: AccountChange): void {
    if ('make' in change && !change.lenient && this.exact(change.make.user, change.make.host))
      throw failed('CREATE USER', change.make)
    if ('drop' in change && !change.lenient && !this.exact(change.drop.user, change.drop.host))
      throw failed('DROP USER', change.drop)
    if ('secure' in change && !this.exact(change.secure.user, change.secure.host))
      throw failed('ALTER USER', change.secure)
    if ('grant' in change && !this.exact(change.to.user, change.to.host))
      throw new MysqlError(1410, '42000', 'You are not allowed to create a user with GRANT')
    if ('revoke' in change && this.exact(change.from.user, change.from.host)?.grants[change.on] === undefined)
      throw new MysqlError(
        1141,
        '42000',
        `There is no such grant defined for user '${change.from.user}' on host '${change.from.host}'`,
      )
  }

  apply(change: AccountChange): void {
    if ('make' in change) this.#make(change.make, change.password)
    else if ('drop' in change)
      this.#accounts = this.#accounts.filter(
        ({ user, host }) => user !== change.drop.user || host !== change.drop.host,
      )
    else if ('secure' in change) {
      const account = this.exact(change.secure.user, change.secure.host)
      if (account) account.password = toStoredPassword(change.password)
    } else if ('grant' in change) {
      const grants = this.exact(change.to.user, change.to.host)?.grants
      if (grants) grants[change.on] = [...new Set([...(grants[change.on] ?? []), ...change.grant])]
    } else this.#revoke(change)
  }

  #make({ user, host }: { user: string; host: string }, password: string): void {
    if (this.exact(user, host)) return
    this.#accounts.push({ user, host, password: toStoredPassword(password), grants: {} })
  }

  #revoke({ revoke, on, from }: Extract<AccountChange, { revoke: unknown }>): void {
    const grants = this.exact(from.user, from.host)?.grants
    if (grants === undefined) return
    const left = revoke.includes('ALL')
      ? []
      : (grants[on] ?? []).filter((privilege) => !revoke.includes(privilege))
    if (left.length === 0) delete grants[on]
    else grants[on] = left
  }
}

/** A named user counts more than none, an exact host more than a pattern, a long pattern more than a short one. */
const weigh = (account: Account, user: string): number =>
  (account.host.includes('%') ? account.host.length : 1_000) * 2 + (account.user === user ? 1 : 0)
