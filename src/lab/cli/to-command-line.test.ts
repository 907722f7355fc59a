/** Tests that parsed commands are formatted as command lines. */
import { expect, it } from 'vitest'
import { loadCommand } from './command-registry.ts'
import { parseOptions } from './parse-options.ts'
import { toCommandLine } from './to-command-line.ts'

it.each<[name: string, args: string[], line: string]>([
  ['run', [], ''],
  [
    'run',
    ['easy', '--model=a:b', '--workers', '2', '--model', 'probe=a:c', '--approve'],
    ' easy --model a:b --model probe=a:c --approve',
  ],
  ['run', ['--external', "sh -c 'it'", '--set', 'x.y='], ` --external 'sh -c '"'"'it'"'"'' --set x.y=`],
  [
    'inject-and-remediate',
    ['--remediate_method', 'SoloGen', '--env', 'train-ticket', '--out=to'],
    ' --env train-ticket --remediate-method SoloGen --out to',
  ],
  [
    'run-all',
    ['simple-micro', 'my logs', '-', '--limit', '3', '--level', 'easy', '--method', 'null'],
    " simple-micro 'my logs' - --method null --level easy --limit 3",
  ],
])('formats %s %j', async (name, args, line) => {
  const command = await loadCommand(name)
  const formatted = toCommandLine(name, command.options!, parseOptions(name, command, args))
  expect(formatted).toBe(`remedium ${name}${line}`)
})
