/**
 * Lint rules: what the compiler does not find. Layout is Prettier's, import rules are
 * `.dependency-cruiser.cjs`'s.
 */
import { defineConfig } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const plain = {
  'no-constant-binary-expression': 'error',
  'no-debugger': 'error',
  'no-dupe-keys': 'error',
  'no-empty': 'error',
  'no-template-curly-in-string': 'error',
  'no-unreachable': 'error',
  'no-unsafe-finally': 'error',
  'no-useless-catch': 'error',
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
  eqeqeq: 'error',
};

export default defineConfig(
  {
    ignores: ['node_modules/', '**/dist/', 'coverage/', 'bench/out/', '**/*.daybook/'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { files: ['**/*.{js,mjs,cjs,ts,tsx}'], rules: plain },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_$', destructuredArrayIgnorePattern: '^_' },
      ],
      // What was caught may be kept as unknown and thrown again.
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      // Handlers and stages are objects of functions that do not use `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/return-await': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'error',
      // An importer or an operation is async because its contract is, whether or not this one waits.
      '@typescript-eslint/require-await': 'off',
      // Numbers and booleans in messages are fine; objects and undefined are not.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportAllDeclaration',
          message: 'No barrels: export by name from the module that defines it.',
        },
        {
          selector: 'ExportDefaultDeclaration',
          message: 'Named exports only.',
        },
      ],
    },
  },
  {
    files: ['{app,engine,importers,renderer}/**/*.{ts,tsx}'],
    ignores: ['**/*.{test,bench}.{ts,tsx}', '**/testing/**'],
    rules: { 'max-lines-per-function': ['error', 80] },
  },
  {
    // Tests print whatever they found.
    files: ['**/*.{test,bench}.ts', 'e2e/**/*.ts'],
    rules: { '@typescript-eslint/no-base-to-string': 'off' },
  },
  {
    files: ['renderer/**/*.{ts,tsx}'],
    ignores: ['renderer/vite.config.ts'],
    plugins: { 'react-hooks': reactHooks },
    languageOptions: {
      parserOptions: { project: './renderer/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
    },
  },
  {
    files: ['*.config.ts', '**/vite.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
