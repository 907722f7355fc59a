/** Tests the MySQL server with the mysql2 library, and the client of the twin. */
import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startStoreProcess } from '../testing/store-process.ts'
import {
  connectTo,
  createClient,
  makeFolder,
  onTestEnd,
  query,
  SHOP,
  start,
} from './testing/mysql-fixture.ts'

const ORDERS = `CREATE TABLE IF NOT EXISTS \`orders\` (
  \`id\` int(11) unsigned NOT NULL AUTO_INCREMENT COMMENT 'the "number"',
  \`name\` varchar(64) CHARACTER SET utf8 NOT NULL DEFAULT '',
  price decimal(10,2) DEFAULT NULL, paid tinyint(1) DEFAULT '0', weight double,
  made datetime(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  state enum('new', 'done') DEFAULT 'new',
  PRIMARY KEY (\`id\`), UNIQUE KEY \`uk_name\` (\`name\`(20)), KEY \`by_state\` (\`state\`,\`made\`)
) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COMMENT='all, of them'`

test('answers a client library as MySQL does', async () => {
  const mysql = await connectTo(await start(), { user: 'shop', password: 'secret', database: 'ts' })
  await mysql.query(ORDERS)
  await mysql.query(ORDERS)
  const [inserted] = await mysql.query('INSERT INTO orders (name, price, weight) VALUES (?, ?, ?)', [
    "O'Neil \\ ü",
    12.5,
    1.25,
  ])
  expect(inserted).toMatchObject({ affectedRows: 1, insertId: 1 })
  const [rows] = await mysql.query('SELECT * FROM `orders` WHERE name LIKE "o\'n%"')
  expect(rows).toMatchObject([
    { id: 1, name: "O'Neil \\ ü", price: '12.5', paid: 0, weight: 1.25, state: 'new' },
  ])
  expect((rows as { made: string }[])[0]?.made).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  await mysql.query('INSERT IGNORE INTO orders SET name = "o\'neil \\\\ ü", price = 1')
  await mysql.query(
    "INSERT INTO orders (name, price) VALUES ('b', 1), ('c', 2) ON DUPLICATE KEY UPDATE price = VALUES(price)",
  )
  await mysql.query(
    "INSERT INTO orders (name, price) VALUES ('B', 7) ON DUPLICATE KEY UPDATE price = VALUES(price) + 1",
  )
  const [prices] = await mysql.query(
    'SELECT name, price / 2 AS half FROM ts.orders WHERE price <=> 8 OR name = "C" ORDER BY id',
  )
  expect(prices).toEqual([
    { name: 'b', half: 4 },
    { name: 'c', half: 1 },
  ])
  const [named] = await mysql.query(
    'SELECT COUNT(*), MAX(price), @@read_only, DATABASE(), COUNT(DISTINCT name) n FROM orders',
  )
  expect(named).toEqual([{ 'COUNT(*)': 3, 'MAX(price)': 12.5, '@@read_only': 0, 'DATABASE()': 'ts', n: 3 }])
  const [changed] = await mysql.query("UPDATE orders SET state = 'done' ORDER BY id LIMIT 2")
  expect(changed).toMatchObject({ affectedRows: 2 })
  const [many] = await mysql.query(
    'SELECT COUNT(*) AS n FROM orders; SELECT DATABASE() AS d, @@autocommit AS a; SELECT 1 FROM DUAL',
  )
  expect(many).toEqual([[{ n: 3 }], [{ d: 'ts', a: 1 }], [{ 1: 1 }]])
})

test('binds and returns values of every type in prepared statements', async () => {
  const mysql = await connectTo(await start(), { user: 'shop', password: 'secret', database: 'ts' })
  await mysql.query(ORDERS)
  await mysql.execute('INSERT INTO orders (name, price, weight, paid) VALUES (?, ?, ?, ?)', [
    'x',
    null,
    0.5,
    true,
  ])
  const [rows] = await mysql.execute(
    'SELECT id, name, price, weight, paid FROM orders WHERE name = ? AND id < ?',
    ['X', 5],
  )
  expect(rows).toEqual([{ id: 1, name: 'x', price: null, weight: 0.5, paid: 1 }])
})

test('returns the error numbers of MySQL', async () => {
  const mysql = await connectTo(await start(), { database: 'ts' })
  await mysql.query(ORDERS)
  await mysql.query("INSERT INTO orders (name) VALUES ('a')")
  const failing: readonly (readonly [string, number])[] = [
    ["INSERT INTO orders (name) VALUES ('A')", 1062],
    ['SELECT * FROM nothing', 1146],
    ['SELECT nothing FROM orders', 1054],
    ['SELEC 1', 1064],
    ["SELECT 'a", 1064],
    ['INSERT INTO orders (name) VALUES (NULL)', 1048],
    ['USE nothing', 1049],
    ['SELECT * FROM nothing.orders', 1049],
    ['CREATE DATABASE ts', 1007],
    ['SELECT @@nothing', 1193],
    ['', 1065],
  ]
  for (const [sql, errno] of failing) await expect(mysql.query(sql), sql).rejects.toMatchObject({ errno })
  await expect(connectTo({ port: mysql.config.port! }, { database: 'nothing' })).rejects.toMatchObject({
    errno: 1049,
  })
})

test('commits a transaction as a whole while other writers wait', async () => {
  const server = await start()
  const mysql = await connectTo(server, { database: 'ts' })
  const client = createClient(server)
  await query(client, 'CREATE TABLE t (a INT PRIMARY KEY)')
  await mysql.beginTransaction()
  await mysql.query('INSERT INTO t VALUES (1)')
  await expect(mysql.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ errno: 1062 })
  const concurrentInsert = query(client, 'INSERT INTO t VALUES (3)')
  await mysql.query('INSERT INTO t VALUES (2)')
  await mysql.rollback()
  await concurrentInsert
  expect(await query(client, 'SELECT a FROM t')).toEqual([{ a: 3 }])
  await mysql.beginTransaction()
  await mysql.query('INSERT INTO t VALUES (1)')
  await mysql.commit()
  expect(await query(client, 'SELECT a FROM t ORDER BY a')).toEqual([{ a: 1 }, { a: 3 }])
})

test('applies privilege changes to connected clients', async () => {
  const server = await start()
  const root = await connectTo(server)
  const client = createClient(server)
  await query(client, 'CREATE TABLE t (a INT, b VARCHAR(9), c DOUBLE)')
  await query(client, 'INSERT INTO t VALUES (?, ?, ?)', 1, "it's ?", null)
  expect(await query(client, 'SELECT *, a + 0.5 AS d FROM t')).toEqual([
    { a: 1, b: "it's ?", c: null, d: 1.5 },
  ])
  const [grants] = await root.query("SHOW GRANTS FOR 'shop'@'%'")
  expect((grants as object[]).map((row) => Object.values(row)[0])).toEqual([
    "GRANT USAGE ON *.* TO 'shop'@'%'",
    "GRANT ALL PRIVILEGES ON `ts`.* TO 'shop'@'%'",
  ])
  await root.query("REVOKE ALL PRIVILEGES ON ts.* FROM 'shop'@'%'; FLUSH PRIVILEGES")
  await expect(query(client, 'SELECT * FROM t')).rejects.toMatchObject({ kind: 'login' })
  await expect(query(createClient(server), 'SELECT 1')).rejects.toMatchObject({
    kind: 'login',
    message: expect.stringContaining("1044 (42000): Access denied for user 'shop'@'%' to database 'ts'"),
  })
  await root.query("GRANT SELECT ON ts.* TO 'shop'@'%'")
  expect(await query(client, 'SELECT a FROM t')).toEqual([{ a: 1 }])
  await expect(query(client, 'DELETE FROM t')).rejects.toMatchObject({ kind: 'login' })
  await root.query("ALTER USER 'shop'@'%' IDENTIFIED BY 'other'")
  await expect(query(createClient(server), 'SELECT 1')).rejects.toMatchObject({
    kind: 'login',
    message: expect.stringContaining("Access denied for user 'shop'@'localhost' (using password: YES)"),
  })
  await root.query(
    "CREATE USER 'new'@'%' IDENTIFIED BY 'x'; GRANT ALL ON *.* TO 'new'@'%'; DROP USER 'shop'@'%'",
  )
  const newUser = createClient(server, { login: { user: 'new', password: 'x', database: 'ts' } })
  expect(await query(newUser, "SELECT User FROM mysql.user WHERE Host = '%' ORDER BY User")).toEqual([
    { User: 'new' },
    { User: 'qc_repl' },
  ])
  await expect(root.query("DROP USER 'shop'@'%'")).rejects.toMatchObject({ errno: 1396 })
})

test('limits connections and logs slow queries', async () => {
  const logs = join(makeFolder(), 'logs')
  mkdirSync(logs)
  const server = await start({
    maxConnections: 2,
    environment: { MYSQL_LOG_FOLDER: logs, MYSQL_LONG_QUERY_TIME: '0.05' },
  })
  const client = createClient(server, { poolSize: 1 })
  await query(client, 'SELECT SLEEP(0.06)')
  await query(client, 'SELECT 1')
  expect(readFileSync(join(logs, 'slow.log'), 'utf8')).toMatch(
    /Query_time: 0\.0[\s\S]*SELECT SLEEP\(0\.06\);\n$/,
  )
  await connectTo(server)
  await expect(query(createClient(server), 'SELECT 1')).rejects.toThrow('Too many connections')
  // A few connections are reserved for users with the SUPER privilege.
  for (let attempt = 0; attempt < 3; attempt += 1) await connectTo(server)
  await expect(connectTo(server)).rejects.toMatchObject({ errno: 1040 })
})

test('restores confirmed changes after a crash, and reports a full disk as an error', async () => {
  const folder = makeFolder()
  const first = await startStoreProcess('mysql', { ...SHOP, folder })
  onTestEnd(() => first.kill())
  const client = createClient(first)
  await query(client, 'CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a TEXT)')
  await query(client, 'INSERT INTO t (a) VALUES (?)', 'ä'.repeat(5_000))
  const log = join(folder, 'mysql-bin.000001')
  first.limitFileSize(statSync(log).size + 100)
  await expect(query(client, 'INSERT INTO t (a) VALUES (?)', 'b'.repeat(500))).rejects.toMatchObject({
    kind: 'answer',
    message: "ERROR 1026 (HY000): Error writing file './mysql-bin.000001' (errno: 27 - File too large)",
  })
  expect(await query(client, 'SELECT COUNT(*) AS n FROM t')).toEqual([{ n: 1 }])
  first.limitFileSize()
  expect(await query(client, 'INSERT INTO t (a) VALUES (?)', 'c')).toEqual({ affected: 1, lastId: 2 })
  await first.kill()
  appendFileSync(log, '{"n":99,"sql":["INS')
  const second = await start({ folder })
  const restarted = createClient(second)
  expect(await query(restarted, 'SELECT id, LENGTH(a) AS l FROM t')).toEqual([
    { id: 1, l: 10_000 },
    { id: 2, l: 1 },
  ])
  await query(restarted, 'INSERT INTO t (a) VALUES (NOW())')
  await second.close()
  expect(await query(createClient(await start({ folder })), 'SELECT COUNT(*) AS n FROM t')).toEqual([
    { n: 3 },
  ])
})
