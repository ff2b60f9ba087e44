// What `tsc` does not see.
export default [
  {
    files: ['static/*.js'],
    languageOptions: { ecmaVersion: 2024, sourceType: 'module' },
    rules: {
      complexity: ['error', 20],
      curly: 'error',
      eqeqeq: 'error',
      'no-fallthrough': 'error',
      'no-shadow': 'error',
      'no-unreachable': 'error',
      'no-unused-vars': ['error', { args: 'none' }],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
];
