/** Tests the parsing of the shell's command line and scripts. */
import { describe, expect, it } from 'vitest'
import { parseShellOptions } from './shell-options.ts'
import { splitStatements } from './split-statements.ts'

const LOCAL = { host: '127.0.0.1', port: 27017, database: 'test', user: '', password: '' }

describe('parseShellOptions', () => {
  it.each([
    [[], LOCAL],
    [['shop', '--quiet', '--eval=1'], { ...LOCAL, database: 'shop', script: '1' }],
    [['db.example:27018/shop'], { ...LOCAL, host: 'db.example', port: 27018, database: 'shop' }],
    [['--host', 'db:1234', '--eval', 'a'], { ...LOCAL, host: 'db', port: 1234, script: 'a' }],
    [
      ['mongodb://ada:p%40ss@db:1/shop?authSource=users'],
      {
        host: 'db',
        port: 1,
        database: 'shop',
        user: 'ada',
        password: 'p@ss',
        authenticationDatabase: 'users',
      },
    ],
    [['shop', '-u', 'ada', '-p', 'x'], { user: 'ada', authenticationDatabase: 'shop' }],
  ])('parses %j', (words, options) => {
    expect(parseShellOptions(words)).toMatchObject(options)
  })
})

describe('splitStatements', () => {
  it.each([
    ['a; b', ['a', 'b']],
    ['f({\n a: 1,\n b: "x;y"\n})\ng()', ['f({\n a: 1,\n b: "x;y"\n})', 'g()']],
    ['db.x.find()\n  .sort({a: 1})\nnext', ['db.x.find()\n  .sort({a: 1})', 'next']],
    ["'a\\'; b'; c // d; e\nf", ["'a\\'; b'", 'c', 'f']],
    ['', []],
  ])('splits %j', (script, statements) => {
    expect(splitStatements(script)).toEqual(statements)
  })
})
