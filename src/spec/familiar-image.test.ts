/** Tests that references to the same image become equal. */
import { expect, it } from 'vitest'
import { isSameImage, toFamiliarImage, withFamiliarImages } from './familiar-image.ts'

it.each([
  ['docker.io/library/python:3.9-slim', 'python:3.9-slim'],
  ['index.docker.io/library/python:3.9-slim', 'python:3.9-slim'],
  ['docker.io/python:3.9-slim', 'python:3.9-slim'],
  ['library/python:3.9-slim', 'python:3.9-slim'],
  ['python', 'python:latest'],
  ['docker.io/shop/cart:1.4', 'shop/cart:1.4'],
  ['docker.io/library/python@sha256:12', 'python@sha256:12'],
  ['localhost:5000/cart', 'localhost:5000/cart:latest'],
  ['images.example/library/python:3.9', 'images.example/library/python:3.9'],
])('%s is %s', (image, familiar) => {
  expect(toFamiliarImage(image)).toBe(familiar)
})

it('compares references', () => {
  expect(isSameImage('docker.io/library/python:3.9', 'python:3.9')).toBe(true)
  expect(isSameImage('docker.io/library/python:3.9', 'python:3.10')).toBe(false)
  expect(isSameImage('images.example/python:3.9', 'python:3.9')).toBe(false)
  expect(isSameImage(undefined, undefined)).toBe(false)
})

it('shortens the images of pods and templates', () => {
  const podSpec = {
    initContainers: [{ name: 'a', image: 'docker.io/library/busybox' }],
    containers: [{ name: 'b', image: 'docker.io/shop/cart:1' }],
  }
  const shortened = {
    initContainers: [{ name: 'a', image: 'busybox:latest' }],
    containers: [{ name: 'b', image: 'shop/cart:1' }],
  }
  const toObject = (kind: string, spec: object) => ({ apiVersion: 'v1', kind, metadata: { name: 'x' }, spec })
  expect(withFamiliarImages(toObject('Pod', podSpec))).toEqual(toObject('Pod', shortened))
  expect(withFamiliarImages(toObject('Deployment', { template: { spec: podSpec } }))).toEqual(
    toObject('Deployment', { template: { spec: shortened } }),
  )
  const cronJobOf = (spec: object) => toObject('CronJob', { jobTemplate: { spec: { template: { spec } } } })
  expect(withFamiliarImages(cronJobOf(podSpec))).toEqual(cronJobOf(shortened))
})
