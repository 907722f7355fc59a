/** Tests that the script decodes the episodes that the page contains. */
import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { exampleResult } from '../testing/example-record.ts'
import { unpack } from './unpack.ts'

it('decodes any characters', async () => {
  const details = { result: exampleResult({ reason: 'ünïcödé 漢字 \u2028 </script>' }), record: 'r' }
  await expect(unpack(deflateSync(JSON.stringify(details)).toString('base64'))).resolves.toEqual(details)
})
