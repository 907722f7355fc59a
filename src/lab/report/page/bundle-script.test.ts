/** Tests that the bundled script runs alone and is safe inside a page. */
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { bundleScript } from './bundle-script.ts'

it('runs without imports, and looks up the list of episodes', async () => {
  const script = await bundleScript()
  const selectors: string[] = []
  const document = {
    querySelector: (selector: string) => {
      selectors.push(selector)
      return null
    },
  }
  runInNewContext(script, { document })
  expect(selectors).toEqual(['table.episodes', 'form.filters'])
  expect(script).not.toMatch(/<\/?script|<!--|\bimport\b|\brequire\b/i)
})
