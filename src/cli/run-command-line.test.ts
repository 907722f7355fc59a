/** Tests of the command line as its user sees it: what is printed where, and the exit code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listCommandNames, loadCommand } from './command-registry.ts'
import { runHere as run } from './testing/run-here.ts'

const VERSION = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version

describe('remedium', () => {
  it.each([['--help'], ['-h'], []])('lists every command with its summary: %s', async (...args) => {
    const { code, out, err } = await run(...args)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const name of listCommandNames()) {
      expect(out).toContain(`  ${name} `)
      expect(out).toContain((await loadCommand(name)).summary)
    }
  })

  it('lists the commands as JSON', async () => {
    const { out } = await run('--help', '--json')
    expect(JSON.parse(out).commands.map(({ name }: { name: string }) => name)).toEqual(listCommandNames())
  })

  it('says its version', async () => {
    expect((await run('--version')).out).toMatch(new RegExp(`^remedium ${VERSION} `))
    expect(JSON.parse((await run('--version', '--json')).out)).toMatchObject({ version: VERSION })
  })

  it.each([
    [['tset'], 'remedium: There is no command "tset". Did you mean "test"?\n'],
    [
      ['frobnicate', 'all'],
      'remedium: There is no command "frobnicate". See "remedium --help" for those there are.\n',
    ],
    [
      ['\x1b[8mhidden'],
      'remedium: There is no command "\\x1b[8mhidden". See "remedium --help" for those there are.\n',
    ],
    [['--vresion'], 'remedium: "remedium" has no option --vresion. Did you mean --version?\n'],
    [['doctor', '--jsom'], 'remedium: "remedium doctor" has no option --jsom. Did you mean --json?\n'],
    [
      ['doctor', '--constructor'],
      'remedium: "remedium doctor" has no option --constructor. See "remedium doctor --help".\n',
    ],
    [['doctor', '-x'], 'remedium: "remedium doctor" has no option -x. See "remedium doctor --help".\n'],
    [['doctor', '--json=yes'], 'remedium: --json takes no value, but "yes" was given.\n'],
    [
      ['doctor', 'me'],
      'remedium: "remedium doctor" takes no argument, but "me" was given. See "remedium doctor --help".\n',
    ],
  ])('answers %j with one sentence and exit code 2', async (args, sentence) => {
    const { code, out, err } = await run(...args)
    // "--json=yes" is no request for JSON
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: sentence })
  })

  it('gives an error as JSON when asked to', async () => {
    const { code, out, err } = await run('tset', '--json')
    expect({ code, err }).toEqual({ code: 2, err: '' })
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'unknown-command',
        blame: 'operator',
        message: 'There is no command "tset".',
        hint: 'Did you mean "test"?',
      },
    })
  })
})

describe.each(listCommandNames())('remedium %s', (name) => {
  it('has a summary that is a phrase, and help in words and in JSON', async () => {
    const { summary } = await loadCommand(name)
    expect(summary).toMatch(/^[A-Z].*[^.]$/)
    const inWords = await run(...name.split(' '), '--help')
    expect(inWords).toMatchObject({ code: 0, err: '' })
    expect(inWords.out).toContain(`Usage: remedium ${name}`)
    const inJson = await run(...name.split(' '), '--help', '--json')
    expect(JSON.parse(inJson.out)).toMatchObject({ name, summary })
  })
})

it('names in the help every word that an option takes', async () => {
  const unnamed: string[] = []
  for (const name of listCommandNames())
    for (const [option, { about, choices = [] }] of Object.entries((await loadCommand(name)).options ?? {}))
      unnamed.push(
        ...choices.filter((one) => !about.includes(one)).map((one) => `${name} --${option} ${one}`),
      )
  expect(unnamed).toEqual([])
})

describe('remedium doctor', () => {
  it('says that runs need Ansible, and not only tests', async () => {
    const { out } = await run('doctor', '--json')
    const checks: { name: string; neededFor: string }[] = JSON.parse(out).checks
    const ofRuns = checks.filter(({ neededFor }) => neededFor === 'runs and tests')
    expect(ofRuns.map(({ name }) => name)).toEqual(['kubectl', 'ansible-playbook'])
  })

  it('finds the Node.js it runs on', async () => {
    const { out } = await run('doctor', '--json')
    const checks: { name: string }[] = JSON.parse(out).checks
    expect(checks.find(({ name }) => name === 'Node.js')).toMatchObject({
      present: true,
      neededFor: 'everything',
      found: expect.stringContaining(process.versions.node),
    })
  })
})
