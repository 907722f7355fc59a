/** Tests of `remedium cluster up` without a cluster. */
import { expect, it } from 'vitest'
import { runCommand } from '../../testing/run-command.ts'

it.each([
  [['--system', 'simple-micro'], '--system and --name require real containers'],
  [['--name', 'lab'], '--system and --name require real containers'],
  [
    ['--system', 'simple-micro', '--telemetry', 'x.sqlite'],
    '--telemetry requires --system and real containers.',
  ],
])('rejects %j with modelled containers', async (args, sentence) => {
  const { code, out, err } = await runCommand('cluster', 'up', '--engine', 'sim', ...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(sentence)
})
