import { defineConfig } from 'vitest/config';
import { webModuleAliases } from './vite.config.ts';

export default defineConfig({
  resolve: { alias: webModuleAliases },
  test: {
    projects: [
      {
        resolve: { alias: webModuleAliases },
        // tfjs has no `exports`: without this its CommonJS and ES builds would both load, two engines in one test.
        ssr: { resolve: { mainFields: ['module', 'main'] } },
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'cli/**/*.test.ts'],
          exclude: ['**/*.gpu.test.ts'],
          environment: 'node',
          // tfjs ships extensionless ES modules, which bare Node can't resolve.
          server: { deps: { inline: [/@tensorflow/, /@huggingface/, /seedrandom/] } },
          testTimeout: 60_000,
        },
      },
    ],
  },
});
