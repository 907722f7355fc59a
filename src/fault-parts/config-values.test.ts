/** Values in files of ConfigMaps, found and set in the text as it stands. */
import { expect, it } from 'vitest'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { deployedText, readInText, setInText, upstreamPlaces } from './config-values.ts'

const TEXT = `{
  "port": "8084",
  "store": {"addr": "store", "port": 27017, "size": 512},
  "other": {"addr": "other", "port": 27017}
}
`

it('sets one value and leaves everything else to the blank', () => {
  expect(setInText(TEXT, 'store.port', 1)).toBe(TEXT.replace('27017', '1'))
  expect(setInText(TEXT, 'other.port', 1)).toBe(TEXT.replace(/27017(?![\s\S]*27017)/, '1'))
  expect(setInText(TEXT, 'port', '80')).toBe(TEXT.replace('"8084"', '"80"'))
  expect(setInText(TEXT, 'nothing', 1)).toBe(TEXT)
})

it('reads what it sets', () => {
  expect(readInText(TEXT, 'store.addr')).toBe('store')
  expect(readInText(TEXT, 'other.port')).toBe(27_017)
  expect(readInText(TEXT, 'other.size')).toBeUndefined()
  expect(readInText(undefined, 'port')).toBeUndefined()
})

it('gives mistakes as they are written', () => {
  expect(readInText('{"port": 1.2.3}', 'port')).toBe('1.2.3')
  expect(readInText('{"port": 0.}', 'port')).toBe('0.')
  expect(readInText('{"addr": "a\\d"}', 'addr')).toBe('"a\\d"')
})

it('finds where a service reads its addresses', async () => {
  const system = createSystemView(await loadSystem('hotel-reservation'))
  const places = upstreamPlaces(system, 'rate', 'address')
  const place = { map: 'hotel-reservation', file: 'config.json', path: 'RateMongoAddress' }
  expect(places).toContainEqual({ upstream: 'mongodb-rate', ...place })
  expect(readInText(deployedText(system, place), place.path)).toBe('mongodb-rate:27017')
})
