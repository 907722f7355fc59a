/** Tests of `remedium cluster up` as far as no cluster is needed. */
import { expect, it } from 'vitest'
import { runHere } from '../../testing/run-here.ts'

it.each([
  [['--system', 'simple-micro'], '--system and --name need real containers: the engine sim gives an empty'],
  [['--name', 'lab'], '--system and --name need real containers: the engine sim gives an empty'],
  [
    ['--system', 'simple-micro', '--telemetry', 'x.sqlite'],
    '--telemetry needs a system of real containers, named by --system.',
  ],
])('refuses %j of modelled containers, rather than leave it out', async (args, sentence) => {
  const { code, out, err } = await runHere('cluster', 'up', '--engine', 'sim', ...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(sentence)
})
