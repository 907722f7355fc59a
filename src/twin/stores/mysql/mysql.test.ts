import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startStoreProcess } from '../testing/store-process.ts'
import { ask, atEnd, clientOf, connectTo, makeFolder, SHOP, start } from './testing/mysql-fixture.ts'

const ORDERS = `CREATE TABLE IF NOT EXISTS \`orders\` (
  \`id\` int(11) unsigned NOT NULL AUTO_INCREMENT COMMENT 'the "number"',
  \`name\` varchar(64) CHARACTER SET utf8 NOT NULL DEFAULT '',
  price decimal(10,2) DEFAULT NULL, paid tinyint(1) DEFAULT '0', weight double,
  made datetime(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  state enum('new', 'done') DEFAULT 'new',
  PRIMARY KEY (\`id\`), UNIQUE KEY \`uk_name\` (\`name\`(20)), KEY \`by_state\` (\`state\`,\`made\`)
) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COMMENT='all, of them'`

test('a real client works as with MySQL', async () => {
  const mysql = await connectTo(await start(), { user: 'shop', password: 'secret', database: 'ts' })
  await mysql.query(ORDERS)
  await mysql.query(ORDERS)
  const [made] = await mysql.query('INSERT INTO orders (name, price, weight) VALUES (?, ?, ?)', [
    "O'Neil \\ ü",
    12.5,
    1.25,
  ])
  expect(made).toMatchObject({ affectedRows: 1, insertId: 1 })
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

test('prepared statements take and give values of every type', async () => {
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

test('errors have the numbers of MySQL', async () => {
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

test('a transaction goes in as a whole or not at all, and others wait for it', async () => {
  const server = await start()
  const mysql = await connectTo(server, { database: 'ts' })
  const client = clientOf(server)
  await ask(client, 'CREATE TABLE t (a INT PRIMARY KEY)')
  await mysql.beginTransaction()
  await mysql.query('INSERT INTO t VALUES (1)')
  await expect(mysql.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ errno: 1062 })
  const other = ask(client, 'INSERT INTO t VALUES (3)')
  await mysql.query('INSERT INTO t VALUES (2)')
  await mysql.rollback()
  await other
  expect(await ask(client, 'SELECT a FROM t')).toEqual([{ a: 3 }])
  await mysql.beginTransaction()
  await mysql.query('INSERT INTO t VALUES (1)')
  await mysql.commit()
  expect(await ask(client, 'SELECT a FROM t ORDER BY a')).toEqual([{ a: 1 }, { a: 3 }])
})

test('rights can be taken and given while clients are connected', async () => {
  const server = await start()
  const root = await connectTo(server)
  const client = clientOf(server)
  await ask(client, 'CREATE TABLE t (a INT, b VARCHAR(9), c DOUBLE)')
  await ask(client, 'INSERT INTO t VALUES (?, ?, ?)', 1, "it's ?", null)
  expect(await ask(client, 'SELECT *, a + 0.5 AS d FROM t')).toEqual([{ a: 1, b: "it's ?", c: null, d: 1.5 }])
  const [grants] = await root.query("SHOW GRANTS FOR 'shop'@'%'")
  expect((grants as object[]).map((row) => Object.values(row)[0])).toEqual([
    "GRANT USAGE ON *.* TO 'shop'@'%'",
    "GRANT ALL PRIVILEGES ON `ts`.* TO 'shop'@'%'",
  ])
  await root.query("REVOKE ALL PRIVILEGES ON ts.* FROM 'shop'@'%'; FLUSH PRIVILEGES")
  await expect(ask(client, 'SELECT * FROM t')).rejects.toMatchObject({ kind: 'login' })
  await expect(ask(clientOf(server), 'SELECT 1')).rejects.toMatchObject({
    kind: 'login',
    message: expect.stringContaining("1044 (42000): Access denied for user 'shop'@'%' to database 'ts'"),
  })
  await root.query("GRANT SELECT ON ts.* TO 'shop'@'%'")
  expect(await ask(client, 'SELECT a FROM t')).toEqual([{ a: 1 }])
  await expect(ask(client, 'DELETE FROM t')).rejects.toMatchObject({ kind: 'login' })
  await root.query("ALTER USER 'shop'@'%' IDENTIFIED BY 'other'")
  await expect(ask(clientOf(server), 'SELECT 1')).rejects.toMatchObject({
    kind: 'login',
    message: expect.stringContaining("Access denied for user 'shop'@'localhost' (using password: YES)"),
  })
  await root.query(
    "CREATE USER 'new'@'%' IDENTIFIED BY 'x'; GRANT ALL ON *.* TO 'new'@'%'; DROP USER 'shop'@'%'",
  )
  const made = clientOf(server, { login: { user: 'new', password: 'x', database: 'ts' } })
  expect(await ask(made, "SELECT User FROM mysql.user WHERE Host = '%' ORDER BY User")).toEqual([
    { User: 'new' },
    { User: 'qc_repl' },
  ])
  await expect(root.query("DROP USER 'shop'@'%'")).rejects.toMatchObject({ errno: 1396 })
})

test('connections have a bound, and slow queries a log', async () => {
  const logs = join(makeFolder(), 'logs')
  mkdirSync(logs)
  const server = await start({
    maxConnections: 2,
    environment: { MYSQL_LOG_FOLDER: logs, MYSQL_LONG_QUERY_TIME: '0.05' },
  })
  const client = clientOf(server, { poolSize: 1 })
  await ask(client, 'SELECT SLEEP(0.06)')
  await ask(client, 'SELECT 1')
  expect(readFileSync(join(logs, 'slow.log'), 'utf8')).toMatch(
    /Query_time: 0\.0[\s\S]*SELECT SLEEP\(0\.06\);\n$/,
  )
  await connectTo(server)
  await expect(ask(clientOf(server), 'SELECT 1')).rejects.toThrow('Too many connections')
  // A few are kept for somebody with all rights.
  for (let spare = 0; spare < 3; spare += 1) await connectTo(server)
  await expect(connectTo(server)).rejects.toMatchObject({ errno: 1040 })
})

test('what was answered survives a sudden end, and a full disk is an error and nothing else', async () => {
  const folder = makeFolder()
  const first = await startStoreProcess('mysql', { ...SHOP, folder })
  atEnd(() => first.kill())
  const client = clientOf(first)
  await ask(client, 'CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a TEXT)')
  await ask(client, 'INSERT INTO t (a) VALUES (?)', 'ä'.repeat(5_000))
  const log = join(folder, 'mysql-bin.000001')
  first.limitFiles(statSync(log).size + 100)
  await expect(ask(client, 'INSERT INTO t (a) VALUES (?)', 'b'.repeat(500))).rejects.toMatchObject({
    kind: 'answer',
    message: "ERROR 1026 (HY000): Error writing file './mysql-bin.000001' (errno: 27 - File too large)",
  })
  expect(await ask(client, 'SELECT COUNT(*) AS n FROM t')).toEqual([{ n: 1 }])
  first.limitFiles()
  expect(await ask(client, 'INSERT INTO t (a) VALUES (?)', 'c')).toEqual({ affected: 1, lastId: 2 })
  await first.kill()
  appendFileSync(log, '{"n":99,"sql":["INS')
  const second = await start({ folder })
  const again = clientOf(second)
  expect(await ask(again, 'SELECT id, LENGTH(a) AS l FROM t')).toEqual([
    { id: 1, l: 10_000 },
    { id: 2, l: 1 },
  ])
  await ask(again, 'INSERT INTO t (a) VALUES (NOW())')
  await second.close()
  expect(await ask(clientOf(await start({ folder })), 'SELECT COUNT(*) AS n FROM t')).toEqual([{ n: 3 }])
})
