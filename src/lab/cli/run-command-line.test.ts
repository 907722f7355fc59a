/** Tests the output and the exit code of the command line. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REPOSITORY } from '#kit'
import { listCommandNames, loadCommand } from './command-registry.ts'
import { runCommand as run } from './testing/run-command.ts'

const VERSION = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')).version

const listIntegerOptions = async (): Promise<[command: string, option: string][]> => {
  const found: [string, string][] = []
  for (const name of listCommandNames())
    for (const [option, { type }] of Object.entries((await loadCommand(name)).options ?? {}))
      if (type === 'integer') found.push([name, option])
  return found
}

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

  it('prints its version', async () => {
    expect((await run('--version')).out).toMatch(new RegExp(`^remedium ${VERSION} `))
    expect(JSON.parse((await run('--version', '--json')).out)).toMatchObject({ version: VERSION })
  })

  it.each([
    [['tset'], 'remedium: There is no command "tset". Did you mean "test"?\n'],
    [
      ['frobnicate', 'all'],
      'remedium: There is no command "frobnicate". See "remedium --help" for the commands.\n',
    ],
    [
      ['\x1b[8mhidden'],
      'remedium: There is no command "\\x1b[8mhidden". See "remedium --help" for the commands.\n',
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
    // "--json=yes" does not select JSON output.
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: sentence })
  })

  it('prints an error as JSON with --json', async () => {
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
  it('has a summary that is a phrase, and help as text and as JSON', async () => {
    const { summary } = await loadCommand(name)
    expect(summary).toMatch(/^[A-Z].*[^.]$/)
    const asText = await run(...name.split(' '), '--help')
    expect(asText).toMatchObject({ code: 0, err: '' })
    expect(asText.out).toContain(`Usage: remedium ${name}`)
    const asJson = await run(...name.split(' '), '--help', '--json')
    expect(JSON.parse(asJson.out)).toMatchObject({ name, summary })
  })
})

it('names every choice of an option in its help', async () => {
  const unnamed: string[] = []
  for (const name of listCommandNames())
    for (const [option, declaration] of Object.entries((await loadCommand(name)).options ?? {})) {
      const choices = declaration.type === 'string' ? (declaration.choices ?? []) : []
      unnamed.push(
        ...choices
          .filter((choice) => !declaration.about.includes(choice))
          .map((choice) => `${name} --${option} ${choice}`),
      )
    }
  expect(unnamed).toEqual([])
})

describe.each(await listIntegerOptions())('remedium %s --%s', (command, option) => {
  it.each(['99999999999', '9'.repeat(400), '-99999999999', '1e9', 'Infinity', '1.5', ''])(
    'rejects "%s" with one sentence and exit code 2',
    async (value) => {
      const { code, out, err } = await run(...command.split(' '), `--${option}=${value}`)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toMatch(new RegExp(`^remedium: --${option} must be [^.]+, but "${value}" was given\\.\n$`))
    },
  )
})

describe('remedium doctor', () => {
  it('reports kubectl and Ansible as required for runs and tests', async () => {
    const { out } = await run('doctor', '--json')
    const checks: { name: string; requiredFor: string }[] = JSON.parse(out).checks
    const requiredForRuns = checks.filter(({ requiredFor }) => requiredFor === 'runs and tests')
    expect(requiredForRuns.map(({ name }) => name)).toEqual(['kubectl', 'ansible-playbook'])
  })

  it('finds the Node.js that runs it', async () => {
    const { out } = await run('doctor', '--json')
    const checks: { name: string }[] = JSON.parse(out).checks
    expect(checks.find(({ name }) => name === 'Node.js')).toMatchObject({
      present: true,
      requiredFor: 'everything',
      found: expect.stringContaining(process.versions.node),
    })
  })
})
