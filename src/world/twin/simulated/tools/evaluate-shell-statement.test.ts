/** Tests that the statements of the MongoDB shell have the same values as in JavaScript, and that others are refused. */
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { UnsupportedCommand } from '#spec'
import { createShellDatabase, type ShellGlobals } from '#world/twin/tool-cores'
import { evaluateShellStatement } from './evaluate-shell-statement.ts'

const createGlobals = (): ShellGlobals => ({
  db: createShellDatabase(),
  functions: { ObjectId: (hex) => ({ id: hex }), NumberInt: Number },
})

const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

it.each([
  `db.users.find({age: {$gt: -10.5}, 'a b': [1, "x;\\"y", null,],}, {_id: 0}).sort({age: 1}).limit(1)`,
  `db.getSiblingDB("geo").getCollection('points').deleteMany({})`,
  `db.createUser({user: 'geo', pwd: "pw", roles: [{role: "readWrite", db: "geo-db"}]})`,
  `db.x.insertOne({_id: ObjectId("0123"), at: new Date(0), n: NumberInt(3), ok: true})`,
  `db.auth('root', 'secret')`,
  'db.runCommand({ping: 1})',
  'db.constructor.find()',
  'db.dropDatabase()',
  'db',
  'db.users',
  '1',
  `"a\\tb"`,
])('evaluates %s', (statement) => {
  const { db, functions } = createGlobals()
  const expected: unknown = runInNewContext(statement, { db, Date, ...functions })
  expect(toPlain(evaluateShellStatement(statement, createGlobals(), () => 5))).toEqual(toPlain(expected))
})

it('reads the clock of the container', () => {
  expect(evaluateShellStatement('new Date()', createGlobals(), () => 5)).toEqual(new Date(5))
})

it.each([
  `db.constructor.constructor('return process')()`,
  `db.users.find().constructor('return process')()`,
  `ObjectId.constructor('return process')()`,
  `"".constructor.constructor('return process')()`,
  `({}).x`,
  '{__proto__: {}}',
  'db.users.find().forEach(printjson)',
  'db.a.b.find()',
  'for (;;) {}',
  'process',
  'toString()',
  '`$' + '{1}`',
  '/x/',
  '1 +',
  'db.x.find(',
  '[1 2]',
])('refuses %s', (statement) => {
  expect(() => evaluateShellStatement(statement, createGlobals(), () => 0)).toThrow(UnsupportedCommand)
})
