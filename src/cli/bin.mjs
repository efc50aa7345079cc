#!/usr/bin/env node
/** `npx rl-playground`: the built program where it was installed, and in the repository the one that is bundled of its sources. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const installed = new URL('./dist/program/main.js', import.meta.url);
const bundler = new URL('./run.mjs', import.meta.url);
if (existsSync(fileURLToPath(bundler))) {
  process.argv.splice(2, 0, 'rlPlayground');
  await import(bundler.href);
} else await import(installed.href);
