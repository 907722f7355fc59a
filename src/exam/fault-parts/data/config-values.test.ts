/** Tests that values in files of ConfigMaps are found, read and set. */
import { expect, it } from 'vitest'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { deployedText, findUpstreamLocations, readInText, setInText } from './config-values.ts'

const TEXT = `{
  "port": "8084",
  "store": {"addr": "store", "port": 27017, "size": 512},
  "other": {"addr": "other", "port": 27017}
}
`

it('sets one value and keeps all other characters', () => {
  expect(setInText(TEXT, 'store.port', 1)).toBe(TEXT.replace('27017', '1'))
  expect(setInText(TEXT, 'other.port', 1)).toBe(TEXT.replace(/27017(?![\s\S]*27017)/, '1'))
  expect(setInText(TEXT, 'port', '80')).toBe(TEXT.replace('"8084"', '"80"'))
  expect(setInText(TEXT, 'nothing', 1)).toBe(TEXT)
})

it('reads the value that it set', () => {
  expect(readInText(TEXT, 'store.addr')).toBe('store')
  expect(readInText(TEXT, 'other.port')).toBe(27_017)
  expect(readInText(TEXT, 'other.size')).toBeUndefined()
  expect(readInText(undefined, 'port')).toBeUndefined()
})

it('returns invalid values as text', () => {
  expect(readInText('{"port": 1.2.3}', 'port')).toBe('1.2.3')
  expect(readInText('{"port": 0.}', 'port')).toBe('0.')
  expect(readInText('{"addr": "a\\d"}', 'addr')).toBe('"a\\d"')
})

it('finds the values from which a service reads addresses', async () => {
  const system = createSystemView(await loadSystem('hotel-reservation'))
  const locations = findUpstreamLocations(system, 'rate', 'address')
  const location = { map: 'hotel-reservation', file: 'config.json', path: 'RateMongoAddress' }
  expect(locations).toContainEqual({ upstream: 'mongodb-rate', ...location })
  expect(readInText(deployedText(system, location), location.path)).toBe('mongodb-rate:27017')
})
