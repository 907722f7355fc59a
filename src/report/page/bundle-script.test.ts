/** The script as browsers get it: by itself, and harmless in a page. */
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { bundleScript } from './bundle-script.ts'

it('runs by itself, and looks for the list of episodes', async () => {
  const script = await bundleScript()
  const asked: string[] = []
  const document = {
    querySelector: (selector: string) => {
      asked.push(selector)
      return null
    },
  }
  runInNewContext(script, { document })
  expect(asked).toEqual(['table.episodes', 'form.filters'])
  expect(script).not.toMatch(/<\/?script|<!--|\bimport\b|\brequire\b/i)
})
