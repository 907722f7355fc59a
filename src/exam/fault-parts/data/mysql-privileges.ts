/** The privileges that `ALL PRIVILEGES` includes in MySQL 5.7, and those that a line of `SHOW GRANTS` lists. */

const TABLE_PRIVILEGES = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'CREATE',
  'DROP',
  'REFERENCES',
  'INDEX',
  'ALTER',
  'CREATE VIEW',
  'SHOW VIEW',
  'TRIGGER',
] as const

/** The privileges by the object of a grant. `global` lists only privileges that a grant on a database does not include. */
export const MYSQL_PRIVILEGES = {
  table: TABLE_PRIVILEGES,
  database: [
    ...TABLE_PRIVILEGES,
    'CREATE TEMPORARY TABLES',
    'LOCK TABLES',
    'EXECUTE',
    'CREATE ROUTINE',
    'ALTER ROUTINE',
    'EVENT',
  ],
  global: [
    'CREATE TABLESPACE',
    'CREATE USER',
    'FILE',
    'PROCESS',
    'RELOAD',
    'REPLICATION CLIENT',
    'REPLICATION SLAVE',
    'SHOW DATABASES',
    'SHUTDOWN',
    'SUPER',
  ],
} as const

const GRANT = /^GRANT (.+) ON (\S+) TO '([^']*)'@'([^']*)'(.*)$/

const toScope = (text: string): string => text.replaceAll('`', '')

const privilegesOn = (scope: string): readonly string[] => {
  const { global, database, table } = MYSQL_PRIVILEGES
  if (scope === '*.*') return [...global, ...database]
  return scope.endsWith('.*') ? database : table
}

/** Returns one right for each privilege in a line of `SHOW GRANTS`, such as `SELECT ON shop.* of shop@%`. */
export const expandGrant = (line: string): readonly string[] => {
  const [, privileges = '', object = '', user = '', host = '', rest = ''] = GRANT.exec(line) ?? []
  const scope = toScope(object)
  const names = privileges
    .split(/,\s*(?![^(]*\))/)
    .flatMap((name) => (/^ALL( PRIVILEGES)?$/.test(name) ? privilegesOn(scope) : [name]))
    .filter((name) => name !== 'USAGE')
  const all = /WITH GRANT OPTION/.test(rest) ? [...names, 'GRANT OPTION'] : names
  return all.map((name) => `${name} ON ${scope} of ${user}@${host}`)
}
