/** The privileges that `ALL PRIVILEGES` includes in MySQL 5.7. */

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
