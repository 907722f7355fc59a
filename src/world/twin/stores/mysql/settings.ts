/** The system variables of a MySQL server. */
import { MysqlError } from './mysql-error.ts'

export const VERSION = '5.7.34-37-log'

/** Maximum size of a client's packet in bytes. */
export const MAX_ALLOWED_PACKET = 67_108_864

const FIXED_VARIABLES: Readonly<Record<string, string | number>> = {
  auto_increment_increment: 1,
  autocommit: 1,
  character_set_client: 'utf8mb4',
  character_set_connection: 'utf8mb4',
  character_set_results: 'utf8mb4',
  character_set_server: 'utf8mb4',
  collation_connection: 'utf8mb4_general_ci',
  collation_database: 'utf8mb4_general_ci',
  collation_server: 'utf8mb4_general_ci',
  init_connect: '',
  interactive_timeout: 28_800,
  license: 'GPL',
  lower_case_table_names: 0,
  max_allowed_packet: MAX_ALLOWED_PACKET,
  net_write_timeout: 60,
  performance_schema: 0,
  query_cache_size: 0,
  query_cache_type: 'OFF',
  sql_mode: 'NO_ENGINE_SUBSTITUTION',
  system_time_zone: 'UTC',
  time_zone: 'SYSTEM',
  transaction_isolation: 'READ-UNCOMMITTED',
  tx_isolation: 'READ-UNCOMMITTED',
  version: VERSION,
  version_comment: 'Percona Server (GPL), Release 37',
  wait_timeout: 28_800,
}

/** The variables that `SET GLOBAL` changes. */
const BOOLEAN_VARIABLES = ['read_only', 'super_read_only']
const NUMERIC_VARIABLES = ['max_connections', 'long_query_time']

export class Settings {
  maxConnections: number
  /** A query that takes at least this many seconds counts as slow. */
  longQueryTime: number
  /** Rejects changes by users without the SUPER privilege. */
  readOnly: boolean
  /** Rejects changes by all users. */
  superReadOnly: boolean

  constructor(initial: { maxConnections: number; longQueryTime: number; readOnly: boolean }) {
    this.maxConnections = initial.maxConnections
    this.longQueryTime = initial.longQueryTime
    this.readOnly = initial.readOnly
    this.superReadOnly = initial.readOnly
  }

  list(): Readonly<Record<string, string | number>> {
    return {
      ...FIXED_VARIABLES,
      long_query_time: this.longQueryTime,
      max_connections: this.maxConnections,
      read_only: this.readOnly ? 1 : 0,
      super_read_only: this.superReadOnly ? 1 : 0,
    }
  }

  read(name: string): string | number | null {
    const value = this.list()[name]
    if (value === undefined) throw new MysqlError(1193, 'HY000', `Unknown system variable '${name}'`)
    return value
  }

  /** Accepts unsupported variables without effect. */
  change(name: string, value: string): void {
    if (BOOLEAN_VARIABLES.includes(name)) this.#setReadOnly(name, /^(1|on|true)$/i.test(value))
    else if (NUMERIC_VARIABLES.includes(name)) {
      const number = Number(value)
      if (!Number.isFinite(number) || number < 0)
        throw new MysqlError(1232, '42000', `Incorrect argument type to variable '${name}'`)
      if (name === 'max_connections') this.maxConnections = Math.max(1, Math.floor(number))
      else this.longQueryTime = number
    }
  }

  #setReadOnly(name: string, on: boolean): void {
    // As in MySQL, super_read_only implies read_only.
    if (name === 'super_read_only') {
      this.superReadOnly = on
      if (on) this.readOnly = true
    } else {
      this.readOnly = on
      if (!on) this.superReadOnly = false
    }
  }
}
